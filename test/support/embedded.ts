import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { withAdmin } from './database.ts';
import { createScratchFolder } from './scratch.ts';

export const silent = pino({ level: 'silent' });

export interface Folder {
  readonly path: string;
  remove(): Promise<void>;
}

export async function createFolder(): Promise<Folder> {
  const path = await createScratchFolder();
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Runs an SQL query and returns the first column of the first row as text. */
export async function ask(url: string, sql: string): Promise<string> {
  return withAdmin(url, async (client) => {
    const { rows } = await client.query<[unknown]>({ text: sql, rowMode: 'array' });
    return String(rows[0]?.[0]);
  });
}

export async function postmasterPid(adminUrl: string): Promise<number> {
  return Number((await ask(adminUrl, `select pg_read_file('postmaster.pid')`)).split('\n')[0]);
}

/** Starts an embedded Postgres server in a separate process, which a test can kill at any moment. */
export function spawnStart(dataDir?: string): ChildProcess {
  const script = join(import.meta.dirname, 'start-embedded.ts');
  const args = dataDir === undefined ? [script] : [script, dataDir];
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Waits for the address that a process of an embedded Postgres server prints as soon as the server answers. */
export async function addressFrom(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The process has no output to read.');
  const ended = once(child, 'exit').then(() => {
    throw new Error('The process ended before its Postgres server answered.');
  });
  const line = once(createInterface(child.stdout), 'line').then(([text]) => text as string);
  ended.catch(() => undefined);
  return Promise.race([line, ended]);
}

/**
 * Runs a shell script that prints its process id and then becomes the program `cat`, which never waits for its child
 * processes.
 */
export async function spawnStranger(script: string): Promise<{ child: ChildProcess; pid: number }> {
  const child = spawn('sh', ['-c', `${script}; exec cat`], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const pid = Number((await lines.next()).value);
  child.stdin.write('Are you cat?\n');
  await lines.next();
  return { child, pid };
}

export async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Waits a millisecond, so that other work can run between two checks of a condition. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1));
}
