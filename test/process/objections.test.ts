import { rm } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import { createEmptyDatabase, createTestDatabase, withAdmin } from '../support/database.ts';
import { addressOf, start } from '../support/process.ts';
import { createScratchFolder } from '../support/scratch.ts';

/* Warnings of a start about its database. */

const folder = await createScratchFolder();
const [database, empty] = [await createTestDatabase(), await createEmptyDatabase()];

afterAll(async () => {
  await empty.close();
  await database.close();
  await rm(folder, { recursive: true });
});

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
  [
    'a database that is not migrated',
    () => Object.assign(new URL(database.apiUrl), { pathname: `/${empty.name}` }).href,
    /"objection":"the database is not migrated[^"]*"/,
  ],
])('a start with %s logs it without the address, and /health answers 503', async (_what, url, pattern) => {
  const { said, health } = await saidOf(url(), pattern);
  expect(said).not.toContain('postgres://');
  expect(health).toBe(503);
});

test('a start warns of each Postgres setting with which a crash can lose committed rows', async () => {
  const off = await withAdmin(database.adminUrl, async (admin) => {
    // Only some test servers run without fsync and full_page_writes.
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
