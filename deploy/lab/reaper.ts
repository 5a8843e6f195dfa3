import { execFile, spawn } from 'node:child_process';
import { chmod, readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { processesIn, sendTo } from '../../test/faults/processes.ts';
import { createScratchFolder } from '../../test/support/scratch.ts';

/** A folder for parts. It is removed with every process that works in it, even if its owner is killed. */
export interface LabFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Everybody may pass through it, for Postgres is started as another user. */
export async function createLabFolder(): Promise<LabFolder> {
  const path = await createScratchFolder();
  await chmod(path, 0o711);
  const reaper = spawn(process.execPath, [import.meta.filename, path], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Ctrl-C must end only the owner.
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

/** Whatever works there is killed until nothing does, since one that lives on could have made another. */
async function reap(folder: string): Promise<void> {
  for (let left = await processesIn(folder); left.length > 0; left = await processesIn(folder)) {
    for (const pid of left) sendTo(pid, 'SIGKILL');
    await delay(50);
  }
  await unmountBelow(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** A file system that a trial has mounted there goes with whoever mounted it, unless that one was killed. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  for (const line of mounts.split('\n')) {
    const [, place = ''] = line.split(' ');
    if (place.startsWith(`${folder}/`)) await promisify(execFile)('umount', ['--lazy', place]);
  }
}

if (import.meta.main) {
  const [, , folder = ''] = process.argv;
  // Its end is that of whoever holds the other side, however that came.
  process.stdin.resume();
  process.stdin.once('end', () => void reap(folder));
}
