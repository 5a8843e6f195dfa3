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
  async function objectionsOf(attributes: string, further = ''): Promise<string[]> {
    try {
      await admin.query(`begin; create role test_suspect login ${attributes}; ${further}`);
      await admin.query('set local session authorization test_suspect');
      const { rows } = await admin.query<{ said: string }>(`select app.objections('{}') as said`);
      return rows.map(({ said }) => said).sort();
    } finally {
      await admin.query('rollback');
    }
  }

  const IN_API = 'in role taxclaims_api';

  /** Before Postgres 16 whoever may create roles grants itself any, and a membership has no options. */
  const since16 = (statement: string): string =>
    `do $$ begin if current_setting('server_version_num')::integer >= 160000 then execute '${statement}'; end if; end $$`;

  test.each<[string, string, string, string[]]>([
    ['SUPERUSER', `superuser ${IN_API}`, '', ['has SUPERUSER']],
    ['BYPASSRLS', `bypassrls ${IN_API}`, '', ['has BYPASSRLS']],
    ['CREATEROLE', `createrole ${IN_API}`, '', ['has CREATEROLE']],
    ['CREATEDB', `createdb ${IN_API}`, '', ['has CREATEDB']],
    ['REPLICATION', `replication ${IN_API}`, '', ['has REPLICATION']],
    [
      'the owner, which it can become',
      `${IN_API}, taxclaims_owner`,
      '',
      ['is a member of taxclaims_owner', 'owns'],
    ],
    [
      'the definer, which it can become',
      `${IN_API}, taxclaims_definer`,
      '',
      [
        'can become taxclaims_definer, a member of taxclaims_reporting_all with the right to give it to others',
        'can become taxclaims_definer, a member of taxclaims_reporting_few with the right to give it to others',
        'is a member of taxclaims_definer',
        'owns',
      ],
    ],
    [
      'a request role of its own',
      IN_API,
      'grant taxclaims_client to test_suspect',
      ['has the rights of taxclaims_client without becoming it', 'is a member of taxclaims_client'],
    ],
    ['another group', `${IN_API}, taxclaims_reporting`, '', ['is a member of taxclaims_reporting']],
    [
      'all clients of reporting',
      IN_API,
      'grant taxclaims_reporting_all to test_suspect',
      ['is a member of taxclaims_reporting_all'],
    ],
    ['the auditors’ group', `${IN_API}, taxclaims_auditor`, '', ['is a member of taxclaims_auditor']],
    [
      'its own group with ADMIN',
      IN_API,
      'grant taxclaims_api to test_suspect with admin option',
      ['is a member of taxclaims_api with the right to give it to others'],
    ],
    [
      'a role that nobody knows',
      IN_API,
      'create role test_suspect_role; grant test_suspect_role to test_suspect',
      ['is a member of test_suspect_role'],
    ],
    [
      'a role that creates roles, two memberships away and not inherited',
      IN_API,
      `create role test_suspect_strong createrole; create role test_suspect_middle noinherit in role test_suspect_strong;
       grant test_suspect_middle to test_suspect`,
      [
        'can become test_suspect_middle, a member of test_suspect_strong',
        'can become test_suspect_strong, which has CREATEROLE',
        'is a member of test_suspect_middle',
      ],
    ],
    [
      'its group in a role of the server',
      IN_API,
      'grant pg_monitor to taxclaims_api',
      [
        'can become pg_monitor, a member of pg_read_all_settings',
        'can become pg_monitor, a member of pg_read_all_stats',
        'can become pg_monitor, a member of pg_stat_scan_tables',
        'can become taxclaims_api, a member of pg_monitor',
      ],
    ],
    [
      'a request role in another',
      IN_API,
      'grant taxclaims_admin to taxclaims_client',
      ['can become taxclaims_client, a member of taxclaims_admin'],
    ],
    [
      'a table',
      IN_API,
      'alter table public.sites owner to test_suspect',
      ['owns 1 objects of this database, such as table public.sites'],
    ],
    [
      'a function',
      IN_API,
      'alter function app.client_access() owner to test_suspect',
      [
        'not as db:migrate made it: function app.client_access()',
        'owns 1 objects of this database, such as function app.client_access()',
      ],
    ],
    [
      'a schema',
      IN_API,
      'create schema authorization test_suspect',
      ['owns 1 objects of this database, such as schema test_suspect'],
    ],
    [
      'a table of its group',
      IN_API,
      'alter table public.sites owner to taxclaims_api',
      ['owns 1 objects of this database, such as table public.sites'],
    ],
    [
      'a table of a request role',
      IN_API,
      'alter table public.sites owner to taxclaims_client',
      ['owns 1 objects of this database, such as table public.sites'],
    ],
    [
      'the database',
      IN_API,
      `do $$ begin execute format('alter database %I owner to test_suspect', current_database()); end $$`,
      ['owns this database'],
    ],
  ])('says of a login that has %s what is wrong', async (_what, attributes, further, said) => {
    expect(await objectionsOf(IN_API)).toEqual([]);
    const found = await objectionsOf(attributes, further);
    expect(
      found.map((objection) =>
        objection.replace('the login test_suspect ', '').replace(/^owns \d\d.*/, 'owns'),
      ),
    ).toEqual(said);
  });

  test('says it of every role of the server that a login can be put into', async () => {
    const { rows } = await admin.query<{ role: string }>(
      `select rolname as role from pg_roles where rolname like 'pg\\_%' and rolname <> 'pg_database_owner'`,
    );
    expect(rows.map(({ role }) => role)).toContain('pg_execute_server_program');
    for (const { role } of rows) {
      const said = await objectionsOf(`${IN_API}, ${role}`);
      expect(said).toContain(`the login test_suspect is a member of ${role}`);
    }
  });

  test('says it of a membership that gives nothing but the right to give it', async () => {
    const granted = 'grant taxclaims_owner to test_suspect with admin true, inherit false, set false';
    const said = await objectionsOf(IN_API, since16(granted));
    const { rows } = await admin.query<{ is16: boolean }>(
      `select current_setting('server_version_num')::integer >= 160000 as is16`,
    );
    const whole = 'the login test_suspect is a member of taxclaims_owner with the right to give it to others';
    expect(said.includes(whole)).toBe(rows[0]?.is16);
  });

  test('is part of what speaks against serving, as is a login that cannot become what a request must', async () => {
    expect(await objectionsOf(IN_API)).toEqual([]);
    expect(await objectionsOf(`createdb ${IN_API}`)).toEqual(['the login test_suspect has CREATEDB']);
    const lost = 'revoke taxclaims_client from taxclaims_api';
    expect(await objectionsOf(IN_API, lost)).toEqual([
      'the login test_suspect cannot become taxclaims_client: run db:migrate',
    ]);
  });

  test('names every table that is open', async () => {
    const open =
      'alter table public.sites disable row level security; alter table app.migrations no force row level security';
    expect(await objectionsOf(IN_API, open)).toEqual([
      expect.stringMatching(
        /^row-level security is off or not forced on (?=.*public\.sites)(?=.*app\.migrations)/,
      ),
    ]);
  });
});
