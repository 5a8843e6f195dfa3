import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { runProgram } from '../../src/demo/postgres/command.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import { ask, createFolder, type Folder, postmasterPid } from '../support/embedded.ts';
import { until } from '../support/upload.ts';

/* Tests of an embedded Postgres whose server is killed or cannot start. */

let folder: Folder;
let server: EmbeddedServer | undefined;
let lines: string[];

beforeEach(async () => {
  lines = [];
  folder = await createFolder();
});
afterEach(async () => {
  await server?.stop();
  await folder.remove();
});

async function start(): Promise<EmbeddedServer> {
  const write = (line: Buffer, _encoding: string, done: () => void): void => {
    lines.push(line.toString());
    done();
  };
  server = await startEmbeddedServer({ dataDir: folder.path, log: pino(new Writable({ write })) });
  return server;
}

async function end(adminUrl: string): Promise<void> {
  process.kill(await postmasterPid(adminUrl), 'SIGKILL');
}

const times = (words: string): number => lines.filter((line) => line.includes(words)).length;

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
