import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import pg from 'pg';
import { runProgram } from '../../src/demo/postgres/command.ts';
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
import { until } from '../support/upload.ts';

/* Tests of an embedded Postgres whose server or service was killed, or whose server cannot start. */

let lines: string[];
let server: EmbeddedServer | undefined;
let stranger: ChildProcess | undefined;

const folder = await forSuite(createFolder());

beforeEach(() => {
  lines = [];
});
afterEach(async () => {
  await server?.stop();
  stranger?.kill();
});

/** Starts the embedded Postgres, and calls `heard` after each line of its log. */
async function start(heard?: () => void): Promise<EmbeddedServer> {
  const write = (line: string): void => {
    lines.push(line);
    heard?.();
  };
  server = await startEmbeddedServer({ dataDir: folder.path, log: pino({}, { write }) });
  return server;
}

async function end(adminUrl: string): Promise<void> {
  process.kill(await postmasterPid(adminUrl), 'SIGKILL');
}

const times = (words: string): number => lines.filter((line) => line.includes(words)).length;

test('the embedded Postgres has every committed row after its server was killed', async () => {
  const killed = await start();
  await ask(killed.adminUrl, `create table committed as select 'kept' as name`);
  await end(killed.adminUrl);
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
  const { adminUrl } = await start(() => process.kill(pid, 'SIGKILL'));
  expect(await ask(adminUrl, 'select 1')).toBe('1');
  expect(lines).toEqual([expect.stringContaining('"mode":"fast"')]);
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
  await end(killed.adminUrl);
  await killed.stop();
  lines = [];
  const { adminUrl } = await start(() => process.kill(backend, 'SIGCONT'));
  expect(await ask(adminUrl, 'select 1')).toBe('1');
  expect(lines).toContainEqual(expect.stringContaining('cannot start yet'));
});

test('the service starts its embedded Postgres again after each of several kills, on the same port and with the same rows', async () => {
  const { adminUrl } = await start();
  await ask(adminUrl, `create table kept as select 'kept' as name`);
  for (const round of [1, 2, 3]) {
    await end(adminUrl);
    await until(() => times('runs again') === round);
    expect(await ask(adminUrl, 'table kept')).toBe('kept');
    expect(times('is down: starting it again')).toBeGreaterThanOrEqual(round);
  }
});

test('the service starts its killed embedded Postgres again once another program has freed its port', async () => {
  const { adminUrl, port } = await start();
  const stranger = await takeOver(adminUrl, port);
  await until(() => times('could not create any TCP/IP sockets') > 0);
  stranger.close();
  await until(() => times('runs again') > 0);
  expect(await ask(adminUrl, 'select 1')).toBe('1');
});

test('if an embedded Postgres that cannot start again is stopped, another one can use its data folder', async () => {
  const blocked = await start();
  const stranger = await takeOver(blocked.adminUrl, blocked.port);
  await until(() => times('could not create any TCP/IP sockets') > 0);
  await blocked.stop();
  const firstNewLine = lines.length;
  stranger.close();
  expect(await ask((await start()).adminUrl, 'select 1')).toBe('1');
  expect(lines.slice(firstNewLine).filter((line) => line.includes('runs again'))).toEqual([]);
});

test('the service refuses a data folder of another major version of Postgres, with an error of one line that says what to do', async () => {
  await (await start()).stop();
  const version = join(folder.path, 'postgres', 'data', 'PG_VERSION');
  const ours = (await readFile(version, 'utf8')).trim();
  await writeFile(version, '9.6\n');
  await expect(start()).rejects.toThrow(
    new RegExp(`^DATA_DIR \\S+ cannot be used: its database is of Postgres 9\\.6, .* Postgres ${ours}: .*$`),
  );
  await writeFile(version, `${ours}\n`);
  expect(await ask((await start()).adminUrl, 'select 1')).toBe('1');
});

test('the error of a failed Postgres program names the program, not the command that ran the program as another user', async () => {
  const failing = runProgram(['sh', '-c', 'echo no room >&2; echo at all >&2; exit 1'], {
    prefix: ['env', 'A=B'],
  });
  await expect(failing).rejects.toThrow(/^sh failed: no room; at all$/);
});

test('if the service aborts a program that it runs, the programs that this program has started end too', async () => {
  const ending = new AbortController();
  const reason = new Error('enough');
  const running = runProgram(['sh', '-c', 'sleep 600 & sleep 600; true'], { ending: ending.signal });
  ending.abort(reason);
  await expect(running).rejects.toBe(reason);
});

/** Kills the Postgres server, and listens on its port before the server can start again. */
async function takeOver(adminUrl: string, port: number): Promise<Server> {
  for (;;) {
    await end(adminUrl).catch(() => undefined);
    const stranger = createServer().listen(port, '127.0.0.1');
    const isMine = await once(stranger, 'listening').then(
      () => true,
      () => false,
    );
    if (isMine) return stranger;
  }
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
