import { execFile, spawn } from 'node:child_process';
import { chmod, readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { processesIn, sendTo } from '../../test/faults/processes.ts';
import { createScratchFolder } from '../../test/support/scratch.ts';

/**
 * A folder in which the servers of a test work. When the process that created the folder ends, even by a kill, the
 * folder is removed and all servers in it are ended.
 */
export interface LabFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Creates a folder for the servers of a test. Every user can enter it, because Postgres runs as another user. */
export async function createLabFolder(): Promise<LabFolder> {
  const path = await createScratchFolder();
  await chmod(path, 0o711);
  const reaper = spawn(process.execPath, [import.meta.filename, path], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Ctrl-C must not end this helper process, which cleans up after the process that created the folder has ended.
    detached: true,
  });
  reaper.unref();
  return {
    path,
    remove: () =>
      new Promise((done) => {
        reaper.ref();
        reaper.once('exit', () => {
          done();
        });
        reaper.stdin.end();
      }),
  };
}

/**
 * Kills all processes that work in a folder. This is repeated until none is left, because a dying process can still
 * start another.
 */
async function reap(folder: string): Promise<void> {
  for (let left = await processesIn(folder); left.length > 0; left = await processesIn(folder)) {
    for (const pid of left) sendTo(pid, 'SIGKILL');
    await delay(50);
  }
  await unmountBelow(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Unmounts file systems below the folder, because a killed process leaves its file systems mounted. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  for (const line of mounts.split('\n')) {
    const [, place = ''] = line.split(' ');
    if (place.startsWith(`${folder}/`)) await promisify(execFile)('umount', ['--lazy', place]);
  }
}

if (import.meta.main) {
  const [, , folder = ''] = process.argv;
  // The helper process notices by the end of its standard input that the process which created the folder has ended,
  // even by a kill.
  process.stdin.resume();
  process.stdin.once('end', () => void reap(folder));
}
