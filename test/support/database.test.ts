import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createEmptyDatabase, createTestDatabase, withAdmin } from './database.ts';

test('each test’s database has the rights of a migrated database, including the rights on the database itself', async () => {
  const migrated = await createTestDatabase();
  const empty = await createEmptyDatabase();
  const make = (client: pg.Client): Promise<unknown> => client.query('create temporary table mine (id int)');
  await expect(withAdmin(migrated.apiUrl, make)).rejects.toMatchObject({ code: '42501' });
  await expect(withAdmin(empty.apiUrl, make)).resolves.toBeDefined();
  await Promise.all([migrated.close(), empty.close()]);
});

test('a test cannot see what another test wrote to its own database', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const count = (client: pg.Client): Promise<pg.QueryResult> => client.query('table public.clients');
  await withAdmin(one.adminUrl, (client) =>
    client.query(`insert into public.clients (company_name, contact_email) values ('Lune', 'lune@example.org')`),
  );
  expect((await withAdmin(one.adminUrl, count)).rowCount).toBe(1);
  expect((await withAdmin(other.adminUrl, count)).rowCount).toBe(0);
  await Promise.all([one.close(), other.close()]);
});

test('the database of a test is dropped even if the test leaves a connection open', async () => {
  const database = await createTestDatabase();
  const forgotten = new pg.Client({ connectionString: database.apiUrl });
  const lost = new Promise((resolve) => forgotten.on('error', resolve));
  await forgotten.connect();
  await database.close();
  expect(await lost).toMatchObject({ code: '57P01' });
  await expect(withAdmin(database.adminUrl, () => Promise.resolve())).rejects.toMatchObject({ code: '3D000' });
});
