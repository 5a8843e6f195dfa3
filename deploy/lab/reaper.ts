import { execFile, spawn } from 'node:child_process';
import { chmod, readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { processesIn, sendTo } from '../../test/faults/processes.ts';
import { createScratchFolder } from '../../test/support/scratch.ts';

/**
 * A folder for the servers of a fault test. The folder is removed and every process that works in it is ended, even if
 * the owning process is killed.
 */
export interface LabFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Creates a folder for servers that every user may enter, because Postgres runs as another user. */
export async function createLabFolder(): Promise<LabFolder> {
  const path = await createScratchFolder();
  await chmod(path, 0o711);
  const reaper = spawn(process.execPath, [import.meta.filename, path], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Ctrl-C must end only the process that owns the folder, and not the helper process that cleans up afterwards.
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

/** Unmounts the file systems below the folder that a killed process has left mounted there. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  for (const line of mounts.split('\n')) {
    const [, place = ''] = line.split(' ');
    if (place.startsWith(`${folder}/`)) await promisify(execFile)('umount', ['--lazy', place]);
  }
}

if (import.meta.main) {
  const [, , folder = ''] = process.argv;
  // The helper’s standard input ends when the process that owns the folder ends, even if that process is killed.
  process.stdin.resume();
  process.stdin.once('end', () => void reap(folder));
}
