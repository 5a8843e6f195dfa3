import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { asDatabase, createEmptyDatabase, createTestDatabase, withAdmin } from '../support/database.ts';
import { addressOf, refusalOf, start } from '../support/process.ts';
import { startSilentServer } from '../support/silent-server.ts';
import { folderForSuite, forSuite } from '../support/suite.ts';

/* These tests check the lines that a service logs or prints at its start about an unsuitable database. */

const folder = await folderForSuite();
const database = await forSuite(createTestDatabase());
const older = await forSuite(createTestDatabase());
await withAdmin(older.adminUrl, (admin) => admin.query('drop function app.objections(text[])'));
const foreign = await forSuite(createEmptyDatabase());
const STRANGER = { name: `${foreign.name}_stranger`, password: 'hunter2' };
await withAdmin(foreign.adminUrl, (admin) =>
  admin.query(
    `create role ${STRANGER.name} login password '${STRANGER.password}'; create table public.orders (id integer)`,
  ),
);
await forSuite({ drop: () => withAdmin(database.adminUrl, (admin) => admin.query(`drop role ${STRANGER.name}`)) });

async function saidOf(url: string, pattern: RegExp): Promise<{ said: string; health: number }> {
  const started = start(folder, { DATABASE_URL: url, PORT: '0' });
  try {
    const address = await addressOf(started);
    const [said] = await started.says(pattern);
    const health = await fetch(`${address}/health`);
    return { said, health: health.status };
  } finally {
    started.signal('SIGTERM');
    await started.ended;
  }
}

test.each<[string, () => string, RegExp]>([
  ['the superuser’s login', () => database.adminUrl, /"objection":"the login \S+ has SUPERUSER[^"]*"/],
  ['a database of an older release', () => older.apiUrl, /"objection":"the database is not migrated[^"]*"/],
])(
  'if DATABASE_URL names %s, the service logs an objection without the URL, and answers /health with 503',
  async (_what, url, pattern) => {
    const { said, health } = await saidOf(url(), pattern);
    expect(said).not.toContain('postgres://');
    expect(health).toBe(503);
  },
);

test.each<[string, () => string]>([
  ['a login of the service', () => foreign.apiUrl],
  ['a login of the other project', () => asDatabase(foreign.directUrl, foreign.name, STRANGER)],
])(
  'if DATABASE_URL has %s and names the database of another project, the service ends with a line that says what to do',
  async (_who, url) => {
    const { host } = new URL(url());
    const started = start(folder, { DATABASE_URL: url(), PORT: '0' });
    expect(await refusalOf(started)).toBe(1);
    expect(started.err).toBe(
      `DATABASE_URL names the database ${foreign.name} at ${host}, which has no table of this service: unset ` +
        'DATABASE_URL for the demonstration, or run npm run db:migrate if this database is meant\n',
    );
    const lines = started.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(lines[0]?.msg).toBe(
      `DATABASE_URL is set in the environment: it names the database ${foreign.name} at ${host}`,
    );
    expect(lines.filter(({ level }) => level > 30)).toEqual([]);
    expect(started.out + started.err).not.toContain('hunter2');
  },
);

test('a service that refuses its database says that DATABASE_URL is set in the file .env', async () => {
  const cwd = join(folder, 'with-env');
  await mkdir(cwd);
  await writeFile(join(cwd, '.env'), `DATABASE_URL=${foreign.apiUrl}\n`);
  const started = start(cwd, { PORT: '0' });
  expect(await refusalOf(started)).toBe(1);
  expect(started.out).toContain('"msg":"DATABASE_URL is set in the file .env: it names the database');
});

test('if Postgres accepts connections but does not answer, the service starts and answers /health with 503', async () => {
  const silent = await startSilentServer();
  const started = start(folder, { DATABASE_URL: silent.url.replace('http', 'postgres'), PORT: '0' });
  const health = await fetch(`${await addressOf(started)}/health`);
  expect(health.status).toBe(503);
  started.signal('SIGTERM');
  expect(await started.ended).toBe(0);
  silent.close();
});

test('when the service starts, it warns of each Postgres setting with which a crash can lose committed rows', async () => {
  const off = await withAdmin(database.adminUrl, async (admin) => {
    // The expected warnings depend on fsync and full_page_writes, because only some test servers turn these settings
    // off.
    await admin.query(`alter database ${database.name} set synchronous_commit = off`);
    const { rows } = await admin.query<{ name: string }>(
      `select name from pg_settings where name in ('fsync', 'full_page_writes') and setting = 'off' order by name`,
    );
    return [...rows.map(({ name }) => name), 'synchronous_commit'];
  });
  const lines = off.map((name) => `"setting":"${name}"[^\\n]*a crash of the database server can lose[^]*`);
  const { health } = await saidOf(database.apiUrl, new RegExp(lines.join('')));
  expect(health).toBe(200);
});
