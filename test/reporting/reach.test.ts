import { describe, expect, test } from '@jest/globals';
import { FIXTURE, idOf } from '../policies/fixture.ts';
import { connected, createTestDatabase, withAdmin } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { forSuite } from '../support/suite.ts';

const FOREIGN = idOf('b', 'clients');

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
await withAdmin(database.adminUrl, async (admin) => {
  await admin.query(FIXTURE);
  await admin.query('select reporting.grant_client($1, $2)', [login.name, idOf('a', 'clients')]);
  await admin.query('analyze');
});
const tool = await forSuite(connected(login.url));

describe('a reporting login with a grant of one client', () => {
  const asTool = async (sql: string): Promise<unknown[]> => (await tool.query({ text: sql, rowMode: 'array' })).rows;
  const asAdmin = (sql: string): Promise<unknown[]> =>
    withAdmin(database.adminUrl, async (admin) => (await admin.query({ text: sql, rowMode: 'array' })).rows);

  test.each([
    'set session authorization postgres',
    'set session_replication_role = replica',
    'set temp_file_limit = -1',
    'create view reporting.own as select 1',
    'create schema own',
    'create function reporting.own() returns integer language sql return 1',
    'create function public.own() returns integer language sql return 1',
    'select lo_creat(-1)',
    'select pg_advisory_lock_shared(1)',
    'select pg_try_advisory_xact_lock(1, 2)',
    `select lo_import('/etc/hostname')`,
    `select pg_read_file('/etc/hostname')`,
    `copy public.clients to program 'cat'`,
    `copy public.clients to '/tmp/own'`,
    'select password_hash from public.users',
    'select client_access from public.users',
    'select file_path from public.documents',
    'select actor from public.reclamation_history',
    'select 1 from public.audit_logs',
    'select 1 from audit.matrix',
    'select * from pg_catalog.pg_statistic',
    'select rolpassword from pg_catalog.pg_authid',
    'truncate public.clients',
    'do $$ begin lock table public.clients in exclusive mode; end $$',
  ])('Postgres denies a reporting login the statement: %s', async (sql) => {
    await expect(asTool(sql)).rejects.toMatchObject({ code: '42501' });
  });

  test('a reporting login has no right to a schema other than reporting', async () => {
    expect(
      await asTool(
        `select nspname from pg_namespace
         where has_schema_privilege(oid, 'USAGE') and nspname not in ('pg_catalog', 'information_schema')`,
      ),
    ).toEqual([['reporting']]);
    expect(await asTool('select 1 from reporting.invoices')).toHaveLength(1);
  });

  test('a reporting login that sets app.client_access and other settings of the API reads only rows of its granted client', async () => {
    for (const setting of ['client_access', 'user_id', 'actor', 'role']) {
      await asTool(`select set_config('app.${setting}', '{${FOREIGN}}', false)`);
    }
    for (const view of ['clients', 'sites', 'cadastres', 'reclamations', 'documents', 'invoices', 'users']) {
      expect(await asTool(`select * from reporting.${view}`)).toHaveLength(1);
    }
    expect(await asAdmin('select * from public.clients')).toHaveLength(2);
  });

  test('a reporting login gets no error from a condition that divides by zero for a row of another tenant', async () => {
    const leak = (clients: string) => `select 1 / (case when id = '${FOREIGN}' then 0 else 1 end) from ${clients}`;
    expect(await asTool(leak('reporting.clients'))).toEqual([[1]]);
    await expect(asAdmin(leak('public.clients'))).rejects.toThrow('division by zero');
  });

  test('a reporting login finds no sample values of columns in pg_stats', async () => {
    const values = `select 1 from pg_catalog.pg_stats where schemaname = 'public'`;
    expect(await asTool(values)).toEqual([]);
    expect(await asAdmin(values)).not.toEqual([]);
  });

  test('a reporting login cannot read the statements of other sessions in pg_stat_activity', async () => {
    await withAdmin(database.adminUrl, async (admin) => {
      await admin.query(`select '${FOREIGN}'`);
      const { rows } = await admin.query<{ pid: number }>('select pg_backend_pid() as pid');
      expect(await asTool(`select query from pg_stat_activity where pid = ${rows[0]?.pid ?? 0}`)).toEqual([
        ['<insufficient privilege>'],
      ]);
    });
  });

  // A reporting login is able to read the total number of rows of a table, which db/README.md accepts.
  test('a reporting login learns the total number of claims from pg_class and EXPLAIN, but not their clients', async () => {
    const [[all]] = (await asAdmin('select count(*)::integer from public.reclamations')) as [[number]];
    expect(await asTool(`select reltuples from pg_class where relname = 'reclamations' and relkind = 'r'`)).toEqual([
      [all],
    ]);
    await asTool('begin; set local enable_indexscan = off; set local enable_bitmapscan = off');
    const plan = JSON.stringify(await asTool('explain (analyze, format json) select * from reporting.reclamations'));
    await asTool('rollback');
    expect(plan).toContain(`"Rows Removed by Filter":${all - 1}`);
  });
});
