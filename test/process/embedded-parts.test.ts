import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { ask as askDatabase, nextTurn, postmasterPid } from '../support/embedded.ts';
import { ask } from '../support/http.ts';
import { blockOf, textOf } from '../support/pages.ts';
import { beginLogin, demonstrationToken, greetingOf, refusalOf, signalUntilEnded, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { until } from '../support/upload.ts';

/*
 * These tests interrupt or repeat `npm start`, or kill its Postgres, and check the embedded Postgres and identity
 * provider.
 */

const folder = await createScratchFolder();

afterAll(() => rm(folder, { recursive: true, maxRetries: 3 }));

interface Serving {
  readonly started: Started;
  readonly port: number;
  readonly adminUrl: string;
  /** A token of the demonstration's administrator. */
  readonly token: string;
}

async function serve(): Promise<Serving> {
  const started = start(folder, { PORT: '0' });
  const { api, postgres: { passwordFile = '', port: its = 0 } = {} } = await greetingOf(started);
  const token = await demonstrationToken(api, 'ADMIN');
  const password = await readFile(passwordFile, 'utf8');
  const adminUrl = `postgres://postgres:${password}@127.0.0.1:${its}/taxclaims`;
  return { started, port: Number(new URL(api).port), token, adminUrl };
}

const isDown = (adminUrl: string): Promise<boolean> =>
  askDatabase(adminUrl, 'select 1').then(
    () => false,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED',
  );

/** Opens a connection to Postgres, and ignores the connection’s error when Postgres ends. */
async function connected(adminUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

test('npm start creates no database if its port is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const refused = start(folder, { PORT: String(port), DATA_DIR: join(folder, 'unused') });
  expect(await refusalOf(refused)).toBe(1);
  expect(refused.err).toMatch(/^PORT \d+ of HOST 127\.0\.0\.1 cannot be listened on: EADDRINUSE\n$/);
  expect((await readdir(join(folder, 'unused'))).filter((name) => name !== 'postgres.lock')).toEqual([]);
  taken.close();
});

test('a first npm start that gets SIGINT while it creates its database exits with 0, and leaves no part of the database', async () => {
  const data = join(folder, 'interrupted');
  const begun = start(folder, { PORT: '0', DATA_DIR: data });
  const names = (): Promise<string[]> => readdir(data).catch(() => []);
  while (!(await names()).some((name) => name.includes('draft'))) await nextTurn();
  begun.signal('SIGINT');
  expect([await begun.ended, begun.err]).toEqual([0, '']);
  expect((await names()).sort()).toEqual(['identity', 'postgres.lock']);
});

test('a second SIGINT ends the service at once, and leaves no Postgres running', async () => {
  const { started, port, adminUrl } = await serve();
  // At the first SIGINT the service waits for this login request, because the request’s body never arrives completely.
  const login = await beginLogin(port);
  const broken = once(login, 'close');
  expect(await signalUntilEnded(started, 'SIGINT')).toBe('SIGINT');
  await until(() => isDown(adminUrl));
  await broken;
});

test('a second npm start with the same DATA_DIR as a running service ends with a line that names the folder', async () => {
  const { started } = await serve();
  const beside = start(folder, { PORT: '0' });
  expect(await refusalOf(beside)).toBe(1);
  expect(beside.err).toMatch(/^DATA_DIR \S+\/\.data is in use: another process has locked postgres\.lock\. .*\n$/);
  started.signal('SIGTERM');
  expect(await started.ended).toBe(0);
});

test('npm start stores the contents of the demonstration’s documents if an earlier start was killed before storing them', async () => {
  const first = await serve();
  const contents = join(folder, '.data', 'documents', 'demonstration');
  first.started.signal('SIGKILL');
  expect(await first.started.ended).toBe('SIGKILL');
  await rm(contents, { recursive: true });
  const removed = `delete from public.documents where file_path = 'demonstration/mandat.pdf'`;
  await askDatabase(first.adminUrl, `${removed} returning true`);
  const { started, port, token, adminUrl } = await serve();
  const id = await askDatabase(
    adminUrl,
    `select id from public.documents where file_path = 'demonstration/decision-rejet.pdf'`,
  );
  expect((await ask(port, `GET /api/documents/${id}/content`, { token })).status).toBe(200);
  // The second npm start must not store the content of the deleted document again.
  expect((await readdir(contents)).sort()).toEqual([
    'avis-degrevement.pdf',
    'avis-tf-2024.pdf',
    'decision-rejet.pdf',
    'releve-surface.csv',
  ]);
  started.signal('SIGTERM');
  expect(await started.ended).toBe(0);
});

/** The SQL in db/README.md that lists the most expensive statements. */
const MOST_EXPENSIVE = /select query, calls[^`;]+/.exec(textOf('db/README.md'))?.[0] ?? '';

test('a service whose embedded Postgres is killed answers 503, and starts Postgres again on the same port', async () => {
  const { started, port, token, adminUrl } = await serve();
  const answer = async (): Promise<number> => (await ask(port, 'GET /api/clients', { token })).status;
  expect(await answer()).toBe(200);
  const visitor = await connected(adminUrl);
  // Postgres reads the setting shared_preload_libraries only when it starts.
  for (const sql of blockOf('db/README.md', 'alter system set shared_preload_libraries').split(/^(?=create)/m))
    await visitor.query(sql);
  const backend = Number((await visitor.query<{ pid: string }>('select pg_backend_pid() as pid')).rows[0]?.pid);
  // A frozen process of the killed Postgres delays Postgres’s next start. The test can therefore see a 503 meanwhile.
  process.kill(backend, 'SIGSTOP');
  process.kill(await postmasterPid(adminUrl), 'SIGKILL');
  await until(async () => (await answer()) === 503);
  await started.says(/"level":50.*the embedded Postgres is down: starting it again/);
  process.kill(backend, 'SIGCONT');
  await started.says(/"level":40.*the embedded Postgres runs again/);
  await until(async () => (await answer()) === 200);
  expect(await askDatabase(adminUrl, MOST_EXPENSIVE)).not.toBe('undefined');
  await visitor.end();
  started.signal('SIGTERM');
  expect([await started.ended, await isDown(adminUrl)]).toEqual([0, true]);
});
