import type { ChildProcess } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import { type Logger, pino } from 'pino';
import pg from 'pg';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import {
  addressFrom,
  ask,
  createFolder,
  kill,
  nextTurn,
  postmasterPid,
  silent,
  spawnStart,
  spawnStranger,
} from '../support/embedded.ts';
import { forSuite } from '../support/suite.ts';

let server: EmbeddedServer | undefined;
let stranger: ChildProcess | undefined;

const folder = await forSuite(createFolder());

afterEach(async () => {
  await server?.stop();
  stranger?.kill();
});

async function start(log = silent): Promise<EmbeddedServer> {
  server = await startEmbeddedServer({ dataDir: folder.path, log });
  return server;
}

test('the embedded Postgres has every committed row after its server was killed', async () => {
  const killed = await start();
  await ask(killed.adminUrl, `create table committed as select 'kept' as name`);
  process.kill(await postmasterPid(killed.adminUrl), 'SIGKILL');
  await killed.stop();
  expect(await ask((await start()).adminUrl, 'table committed')).toBe('kept');
});

test('at its start, the embedded Postgres stops the server that a killed service left running, and then has that server’s rows', async () => {
  const child = spawnStart(folder.path);
  const url = await addressFrom(child);
  await ask(url, `create table orphaned as select 'kept' as name`);
  const orphan = await postmasterPid(url);
  await kill(child);
  expect(await postmasterPid(url)).toBe(orphan);
  const { adminUrl } = await start();
  expect(await postmasterPid(adminUrl)).not.toBe(orphan);
  expect(await ask(adminUrl, 'table orphaned')).toBe('kept');
});

test('the embedded Postgres has every committed row after the service and its server were killed', async () => {
  const child = spawnStart(folder.path);
  const url = await addressFrom(child);
  await ask(url, `create table felled as select 'kept' as name`);
  const pid = await postmasterPid(url);
  await kill(child);
  process.kill(-pid, 'SIGKILL');
  expect(await ask((await start()).adminUrl, 'table felled')).toBe('kept');
});

test('the embedded Postgres starts although the server that a killed service left running dies during the start', async () => {
  const child = spawnStart(folder.path);
  const pid = await postmasterPid(await addressFrom(child));
  process.kill(pid, 'SIGSTOP');
  await kill(child);
  const lines: string[] = [];
  const log = listeningLog((line) => {
    lines.push(line);
    process.kill(pid, 'SIGKILL');
  });
  expect(await ask((await start(log)).adminUrl, 'select 1')).toBe('1');
  expect(lines).toEqual([expect.stringContaining('"mode":"fast"')]);
});

test('the embedded Postgres does not start in a data folder that another server uses, and the other server continues', async () => {
  const child = spawnStart(folder.path);
  const url = await addressFrom(child);
  const pid = await postmasterPid(url);
  await expect(start()).rejects.toThrow('another process has locked postgres.lock');
  expect(await postmasterPid(url)).toBe(pid);
  await kill(child);
  expect(await ask((await start()).adminUrl, 'select 1')).toBe('1');
});

test('the embedded Postgres starts after an earlier start was killed while it created the cluster', async () => {
  const fresh = await createFolder();
  const child = spawnStart(fresh.path);
  const isDraft = (name: string): boolean => name.includes('draft');
  while (!(await readdir(fresh.path)).some(isDraft)) await nextTurn();
  await kill(child);
  const restarted = await startEmbeddedServer({ dataDir: fresh.path, log: silent });
  expect(await ask(restarted.adminUrl, 'select 1')).toBe('1');
  expect((await readdir(fresh.path)).filter(isDraft)).toEqual([]);
  await restarted.stop();
  await fresh.remove();
});

test('the embedded Postgres starts after an earlier start was killed before its server answered', async () => {
  await (await start()).stop();
  const child = spawnStart(folder.path);
  while ((await readPidFile()) === '') await nextTurn();
  await kill(child);
  expect(await ask((await start()).adminUrl, 'select 1')).toBe('1');
});

test('the embedded Postgres starts although its pid file names an unrelated process, and does not end that process', async () => {
  const { child, pid } = await spawnStranger('echo $$');
  stranger = child;
  await leavePidFile(pid);
  expect(await ask((await start()).adminUrl, 'select 1')).toBe('1');
  expect(process.kill(pid, 0)).toBe(true);
});

test('the embedded Postgres starts although its pid file names a process that has ended as a zombie', async () => {
  const { child, pid } = await spawnStranger('sleep 600 & echo $!');
  stranger = child;
  process.kill(pid, 'SIGKILL');
  await leavePidFile(pid);
  expect(await ask((await start()).adminUrl, 'select 1')).toBe('1');
  expect(process.kill(pid, 0)).toBe(true);
});

test('the embedded Postgres waits at its start until the last process of a killed server has ended', async () => {
  const killed = await start();
  const client = new pg.Client({ connectionString: killed.adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const backend = rows[0]?.pid ?? 0;
  process.kill(backend, 'SIGSTOP');
  process.kill(await postmasterPid(killed.adminUrl), 'SIGKILL');
  await killed.stop();
  const lines: string[] = [];
  const log = listeningLog((line) => {
    lines.push(line);
    process.kill(backend, 'SIGCONT');
  });
  expect(await ask((await start(log)).adminUrl, 'select 1')).toBe('1');
  expect(lines).toContainEqual(expect.stringContaining('cannot start yet'));
});

function listeningLog(hear: (line: string) => void): Logger {
  const write = (line: Buffer, _encoding: string, done: () => void): void => {
    hear(line.toString());
    done();
  };
  return pino(new Writable({ write }));
}

function pidFilePath(): string {
  return join(folder.path, 'postgres', 'data', 'postmaster.pid');
}

/** Writes a pid file as an ended Postgres server leaves it, but with the id of another running process. */
async function leavePidFile(pid: number): Promise<void> {
  const served = await start();
  const pidFile = await readPidFile();
  await served.stop();
  await writeFile(pidFilePath(), pidFile.replace(/^\d+/, String(pid)));
}

async function readPidFile(): Promise<string> {
  return readFile(pidFilePath(), 'utf8').catch(() => '');
}
