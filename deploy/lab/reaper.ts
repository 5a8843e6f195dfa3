import { execFile, spawn } from 'node:child_process';
import { chmod, readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { processesIn, sendTo } from '../../test/faults/processes.ts';
import { createScratchFolder } from '../../test/support/scratch.ts';

/** A folder for the parts of a lab. It is removed with every process that works in it, even if its owner is killed. */
export interface LabFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Creates a lab folder that every user may enter, because Postgres runs as another user. */
export async function createLabFolder(): Promise<LabFolder> {
  const path = await createScratchFolder();
  await chmod(path, 0o711);
  const reaper = spawn(process.execPath, [import.meta.filename, path], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Ctrl-C must end only the owner of the folder and not the reaper.
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

/** Kills the processes in a folder until none is left, because a dying process can still start another one. */
async function reap(folder: string): Promise<void> {
  for (let left = await processesIn(folder); left.length > 0; left = await processesIn(folder)) {
    for (const pid of left) sendTo(pid, 'SIGKILL');
    await delay(50);
  }
  await unmountBelow(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Unmounts the file systems below the folder that a killed process has left mounted. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  for (const line of mounts.split('\n')) {
    const [, place = ''] = line.split(' ');
    if (place.startsWith(`${folder}/`)) await promisify(execFile)('umount', ['--lazy', place]);
  }
}

if (import.meta.main) {
  const [, , folder = ''] = process.argv;
  // Standard input ends when the owner of the folder ends, even if the owner is killed.
  process.stdin.resume();
  process.stdin.once('end', () => void reap(folder));
}
