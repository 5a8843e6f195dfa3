import { describe, expect, test } from '@jest/globals';
import { FIXTURE, idOf } from '../policies/fixture.ts';
import { connected, createTestDatabase, withAdmin } from '../support/database.ts';
import { createReportingLogin } from '../support/reporting-login.ts';
import { forSuite } from '../support/suite.ts';

const database = await forSuite(createTestDatabase());
const login = await forSuite(createReportingLogin(database));
await withAdmin(database.adminUrl, async (admin) => {
  await admin.query(FIXTURE);
  await admin.query('select reporting.grant_client($1, $2)', [login.name, idOf('a', 'clients')]);
});
const tool = await forSuite(connected(login.url));

/* The attacks of test/abuse/sql-anybody.ts try, by a reporting login too, what Postgres denies to every login. */

describe('a reporting login with a grant of one client', () => {
  const asTool = async (sql: string): Promise<unknown[]> => (await tool.query({ text: sql, rowMode: 'array' })).rows;

  test.each([
    'create view reporting.own as select 1',
    'create function reporting.own() returns integer language sql return 1',
    'select pg_advisory_lock_shared(1)',
    'select pg_try_advisory_xact_lock(1, 2)',
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

  test('a reporting login cannot read the statements of other sessions in pg_stat_activity', async () => {
    await withAdmin(database.adminUrl, async (admin) => {
      await admin.query(`select 'statement of another session'`);
      const { rows } = await admin.query<{ pid: number }>('select pg_backend_pid() as pid');
      expect(await asTool(`select query from pg_stat_activity where pid = ${rows[0]?.pid ?? 0}`)).toEqual([
        ['<insufficient privilege>'],
      ]);
    });
  });
});
