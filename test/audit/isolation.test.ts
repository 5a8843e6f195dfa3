import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

describe('app.objections', () => {
  let database: TestDatabase;
  let admin: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
  });

  afterAll(async () => {
    await admin.end();
    await database.close();
  });

  /** Asked by a new login, never committed: roles belong to the whole server, where other tests run. */
  async function holdsFor(attributes: string, further = ''): Promise<boolean> {
    try {
      await admin.query(`begin; create role test_login login ${attributes}; ${further}`);
      await admin.query('set local session authorization test_login');
      const { rows } = await admin.query(`select from app.objections('{}')`);
      return rows.length === 0;
    } finally {
      await admin.query('rollback');
    }
  }

  test('has nothing against a login of the API', async () => {
    expect(await holdsFor('in role taxclaims_api')).toBe(true);
  });

  test.each([
    ['a superuser', 'superuser', ''],
    ['a login that bypasses row-level security', 'bypassrls in role taxclaims_api', ''],
    [
      'a login that can become a role that does, without inheriting it',
      'noinherit in role taxclaims_api',
      `create role test_strong bypassrls; grant test_strong to test_login; grant taxclaims_api to test_login;
       grant execute on all functions in schema app to test_login; grant usage on schema app to test_login`,
    ],
    ['a login that can become the owner', 'in role taxclaims_api, taxclaims_owner', ''],
    [
      'a login that can become the owner of the definer functions',
      'in role taxclaims_api, taxclaims_definer',
      '',
    ],
    ['a login that owns a table', 'in role taxclaims_api', 'alter table public.sites owner to test_login'],
    [
      'a login of the API while a table is open',
      'in role taxclaims_api',
      'alter table public.sites disable row level security',
    ],
    [
      'a login of the API while a new table is open',
      'in role taxclaims_api',
      'create table public.added (id integer); alter table public.added owner to taxclaims_owner',
    ],
  ])('objects to %s', async (_what, attributes, further) => {
    expect(await holdsFor(attributes, further)).toBe(false);
  });
});
