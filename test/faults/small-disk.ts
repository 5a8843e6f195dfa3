import { execFile, spawnSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A small mounted file system that a test can fill completely. */
export interface SmallDisk {
  fill(): Promise<void>;
  empty(): Promise<void>;
  unmount(): Promise<void>;
}

const run = promisify(execFile);
const SIZE = '24m';
const UNMOUNT = ['umount', '--lazy'] as const;

const mounted = new Set<string>();

// Unmounts the small disks when the process exits, even if a user interrupts the tests.
process.on('exit', () => {
  for (const folder of mounted) spawnSync(UNMOUNT[0], [UNMOUNT[1], folder]);
});

/** @throws Error if this process has no right to mount a file system, which needs root and Linux */
export async function mountSmallDisk(folder: string): Promise<SmallDisk> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, 'tmpfs', folder]);
  mounted.add(folder);
  const ballast = join(folder, '.ballast');
  return {
    async fill() {
      const file = await open(ballast, 'w');
      const block = Buffer.alloc(64 * 1024);
      try {
        // The small disk is full once a write of one byte fails. After a failed large write, small writes fill the rest
        // of the disk.
        for (const size of [block.length, 1]) {
          try {
            for (;;) await file.write(block.subarray(0, size));
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          }
        }
      } finally {
        await file.close();
      }
    },
    empty: () => rm(ballast, { force: true }),
    async unmount() {
      // A killed process closes its files only a moment later. A lazy unmount does not fail while these files are still
      // open.
      await run(UNMOUNT[0], [UNMOUNT[1], folder]);
      mounted.delete(folder);
    },
  };
}
