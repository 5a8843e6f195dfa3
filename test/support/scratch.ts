import { mkdtemp, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/demo/postgres/server.ts';

const PREFIX = 'taxclaims-run-';
const MEMORY = '/dev/shm';
const PLENTY = 4 * 2 ** 30;

/**
 * Creates a temporary folder. In a test run it lies in the run’s folder, which is removed even if the run is killed.
 * Outside of a test run, the folder’s name has the process id of its owner, so that a later run can find and remove the
 * folder.
 */
export async function createScratchFolder(): Promise<string> {
  const ofRun = process.env['TAXCLAIMS_TEST_FOLDER'] ?? '';
  if (ofRun !== '') return mkdtemp(join(ofRun, 'x-'));
  const owner = (await processOf(process.pid)) ?? String(process.pid);
  return mkdtemp(join(await parentFolder(), `${PREFIX}${owner}-`));
}

/** Stops the servers and removes the temporary folders of killed test runs on this machine. */
export async function removeAbandoned(): Promise<void> {
  for (const parent of [MEMORY, tmpdir()]) {
    const names = await readdir(parent).catch(() => []);
    for (const name of names.filter((one) => one.startsWith(PREFIX))) {
      const [owner = ''] = name.slice(PREFIX.length).split('-');
      if ((await processOf(Number(owner.split('.')[0]))) !== owner) await remove(join(parent, name));
    }
  }
}

async function remove(folder: string): Promise<void> {
  const below = await readdir(folder).catch(() => []);
  for (const dataDir of [folder, ...below.map((name) => join(folder, name))]) {
    if (!(await stat(join(dataDir, 'postgres')).catch(() => undefined))) continue;
    try {
      // If the Postgres server of a killed run’s folder still runs, starting that server again takes it over, so that
      // it can be stopped.
      await (await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) })).stop();
    } catch (error) {
      // Another test run is possibly removing the killed run’s folder too. A folder whose Postgres server cannot be
      // started is removed without stopping the server.
      if (String(error).includes('is locked by another process')) return;
    }
  }
  // A stopping Postgres server possibly still writes files into its folder. The next test run removes files that the
  // present run cannot remove.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 }).catch(() => undefined);
}

/**
 * Returns /dev/shm as the place of temporary folders if it has enough room, because copying a template database on a
 * busy disk takes ten times as long.
 */
async function parentFolder(): Promise<string> {
  const room = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room > PLENTY ? MEMORY : tmpdir();
}

/**
 * Returns the id and start time of a running process, because a later process can get the same id; undefined if the
 * process has ended.
 */
async function processOf(pid: number): Promise<string | undefined> {
  // On systems other than Linux the start time of a process is unknown. If a new process gets the id of an ended one
  // there, a needless folder is kept.
  if (platform() !== 'linux') return isTaken(pid) ? String(pid) : undefined;
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch((error: unknown) => {
    // A process has ended if /proc has no entry for its id. Any other error of the read says nothing about the process.
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  // In /proc/PID/stat, the name of the program stands in parentheses and may contain any character. The start time is
  // the twentieth field after that name.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // A process in the state Z (zombie) has already ended.
  return fields[0] === 'Z' ? undefined : `${pid}.${String(fields[19])}`;
}

function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
