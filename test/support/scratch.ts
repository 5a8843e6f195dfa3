import { mkdtemp, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/embedded/postgres/server.ts';

const PREFIX = 'taxclaims-run-';
const MEMORY = '/dev/shm';
const PLENTY = 4 * 2 ** 30;

/**
 * An empty folder for a test or an embedded server: in that of the run, which goes with whatever works in it however the
 * run ends, or else one whose name tells whose it is, should nobody remove it.
 */
export async function createScratchFolder(): Promise<string> {
  const ofRun = process.env['TAXCLAIMS_TEST_FOLDER'] ?? '';
  if (ofRun !== '') return mkdtemp(join(ofRun, 'x-'));
  const owner = (await processOf(process.pid)) ?? String(process.pid);
  return mkdtemp(join(await parentFolder(), `${PREFIX}${owner}-`));
}

/** Stops and removes what runs that were killed have left behind on this machine. */
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
      // One more start takes over what may still be running, so that it can be stopped.
      await (await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) })).stop();
    } catch (error) {
      // Another run is at it just now; what cannot be started any more is removed as it is.
      if (String(error).includes('is locked by another process')) return;
    }
  }
  // What a server that is ending still writes makes a folder not empty again; the next run would find the rest.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 }).catch(() => undefined);
}

/** In memory where there is plenty: a busy disk takes ten times as long to copy the template. */
async function parentFolder(): Promise<string> {
  const room = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room > PLENTY ? MEMORY : tmpdir();
}

/** A living process as its pid and the time of its start, since pids are given again; undefined where there is none. */
async function processOf(pid: number): Promise<string | undefined> {
  // Elsewhere a pid that is given again keeps a folder that nobody needs, and no more.
  if (platform() !== 'linux') return isTaken(pid) ? String(pid) : undefined;
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch((error: unknown) => {
    // Whatever else is wrong, it is no sign that the process has ended.
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  // The program's name stands in parentheses and may hold anything; of what follows, the twentieth is the start.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended already.
  return fields[0] === 'Z' ? undefined : `${pid}.${String(fields[19])}`;
}

function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
