import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/db/embedded/server.ts';

const PREFIX = 'taxclaims-test-';
const MEMORY = '/dev/shm';
const PLENTY = 4 * 2 ** 30;

/** An empty folder for an embedded server; its name tells whose it is. */
export async function createScratchFolder(): Promise<string> {
  return mkdtemp(join(await parentFolder(), `${PREFIX}${process.pid}-`));
}

/** Stops and removes what runs that were killed have left behind. */
export async function removeAbandoned(): Promise<void> {
  const parent = await parentFolder();
  const names = (await readdir(parent)).filter((name) => name.startsWith(PREFIX));
  const abandoned = names.filter((name) => !isAlive(Number(name.slice(PREFIX.length).split('-')[0])));
  for (const dataDir of abandoned.map((name) => join(parent, name))) {
    try {
      // One more start takes over what may still be running, so that it can be stopped.
      await (await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) })).stop();
      await rm(dataDir, { recursive: true });
    } catch {
      // Another run is removing it just now, or it is beyond repair: either way it is in nobody's way.
    }
  }
}

/** In memory where there is plenty: a busy disk takes ten times as long to copy the template. */
async function parentFolder(): Promise<string> {
  const room = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room > PLENTY ? MEMORY : tmpdir();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
