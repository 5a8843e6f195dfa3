import { execFile, spawnSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A small file system of its own, which can be filled to the last byte. */
export interface SmallDisk {
  fill(): Promise<void>;
  /** Makes room again. */
  empty(): Promise<void>;
  unmount(): Promise<void>;
}

const run = promisify(execFile);
const SIZE = '24m';
const UNMOUNT = ['umount', '--lazy'] as const;

const mounted = new Set<string>();

// Also where the run is ended in the middle: nobody could remove what is mounted.
process.on('exit', () => {
  for (const folder of mounted) spawnSync(UNMOUNT[0], [UNMOUNT[1], folder]);
});

/** @throws Error where this machine lets nobody mount: it takes root, on Linux. */
export async function mountSmallDisk(folder: string): Promise<SmallDisk> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, 'tmpfs', folder]);
  mounted.add(folder);
  const ballast = join(folder, '.ballast');
  return {
    async fill() {
      const file = await open(ballast, 'w');
      const block = Buffer.alloc(64 * 1024);
      try {
        // The end is where no byte more can be written; a small write fills what a large one leaves.
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
      // Lazily: what a killed process held open is given free a moment later.
      await run(UNMOUNT[0], [UNMOUNT[1], folder]);
      mounted.delete(folder);
    },
  };
}
