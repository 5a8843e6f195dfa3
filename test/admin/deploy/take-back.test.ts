import { beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { IS_HOUSE_ROLE } from '../../mutation/catalogs/house.ts';
import { connected, createTestDatabase, withAdmin } from '../../support/database.ts';
import { createTestLogger } from '../../support/test-logger.ts';
import { listed } from '../../support/listed.ts';
import { rolesSql } from '../../support/roles-sql.ts';
import { forSuite } from '../../support/suite.ts';

const DRIFT = 'select kind, object, change from audit.drift order by kind, object';
const TAKEN_BACK = listed('admin/deploy/taken-back.sql').map(({ head: [what = ''], sql, parts: { there } }) => ({
  ...{ what, make: sql, there: there?.sql ?? '' },
}));

const log = pino({ level: 'silent' });
const database = await forSuite(createTestDatabase());
const admin = await forSuite(connected(database.adminUrl));

describe('manual changes of the database that a deploy undoes', () => {
  let before: unknown[];
  let said: string;

  beforeAll(async () => {
    for (const { what, make, there } of TAKEN_BACK) {
      await admin.query(make);
      if ((await admin.query(there)).rowCount === 0) throw new Error(`${what} was not made`);
    }
    before = (await admin.query(DRIFT)).rows;
    const { log: hears, loggedText: heard } = createTestLogger();
    await migrate({ adminUrl: database.adminUrl, log: hears });
    said = heard();
  });

  test.each(TAKEN_BACK.map(({ what, there }) => [what, there] as const))(
    'a deploy undoes a manual change of the database: %s',
    async (_what, there) => {
      expect((await admin.query(there)).rows).toEqual([]);
    },
  );

  test('a deploy that undoes manual changes of the database undoes all of them, and logs a line for each change', async () => {
    expect((await admin.query(DRIFT)).rows).toEqual([]);
    expect(before.length).toBeGreaterThan(20);
    expect(said.match(/"msg":"undone: /g)).toHaveLength(before.length);
    expect(said).toContain('undone: added trigger copy on public.reclamations');
    expect(said).not.toContain('still drift');
  });

  test('a deploy does not change or drop database objects outside the project, for example a DBA’s view over a reporting view', async () => {
    expect((await admin.query(`select from pg_proc where proname = 'copy'`)).rowCount).toBe(1);
    await admin.query(
      'create view elsewhere.clients with (security_invoker) as select company_name from reporting.clients',
    );
    await admin.query('comment on view reporting.clients is null');
    await migrate({ adminUrl: database.adminUrl, log });
    await admin.query('select company_name from elsewhere.clients');
    const { rows: drift } = await admin.query<{ object: string }>(DRIFT);
    expect(drift.filter(({ object }) => !object.startsWith('elsewhere.'))).toEqual([]);
    const { rows } = await admin.query(
      `select from pg_description where objoid = 'reporting.clients'::regclass and objsubid = 0`,
    );
    expect(rows).toHaveLength(1);
  });
});

describe('a manual change of a database role of the project', () => {
  const since16 = (sql: string): string =>
    `do $$ begin if current_setting('server_version_num')::integer >= 160000 then execute '${sql}'; end if; end $$`;

  test.each([
    ['a membership in another role', 'grant taxclaims_client to taxclaims_reporting'],
    ['a membership in a predefined role of Postgres', 'grant pg_read_all_data to taxclaims_reporting'],
    ['the right to grant a role to others', 'grant taxclaims_client to taxclaims_api with admin option'],
    [
      'the inheritance of another role’s rights',
      `alter role taxclaims_api inherit; ${since16('grant taxclaims_client to taxclaims_api with inherit true')}`,
    ],
    [
      'the right to switch to the role for all clients',
      since16('grant taxclaims_reporting_all to taxclaims_definer with set true'),
    ],
    ['a connection limit', 'alter role taxclaims_client connection limit 3'],
    ['a default setting', `alter role taxclaims_client set app.client_access = '{}'`],
    [
      'a default setting in this database',
      `do $$ begin execute format('alter role taxclaims_client in database %I set session_replication_role = replica', current_database()); end $$`,
    ],
    [
      'a right on the database',
      `do $$ begin execute format('grant create, temporary on database %I to taxclaims_client', current_database()); end $$`,
    ],
    ['rights on the schema public', 'grant usage, create on schema public to taxclaims_reporting'],
  ])('a deploy takes %s away from a database role of the project, and changes no other login', async (_what, sql) => {
    await withAdmin(database.adminUrl, async (admin) => {
      const roles = `select r.rolname, r.rolinherit, r.rolconnlimit, s.setconfig,
          array(select to_jsonb(m) - 'oid' - 'grantor' from pg_auth_members as m where m.member = r.oid order by m.roleid) as members,
          array(select x.privilege_type from pg_database as d, aclexplode(d.datacl) as x where x.grantee = r.oid and d.datname = current_database() order by 1) as of_database,
          array(select x.privilege_type from pg_namespace as n, aclexplode(n.nspacl) as x where x.grantee = r.oid and n.nspname = 'public' order by 1) as of_public
        from pg_roles as r
        left join pg_db_role_setting as s on s.setrole = r.oid
        where ${IS_HOUSE_ROLE} order by 1`;
      // The test rolls its change of a database role back, because roles belong to the whole Postgres server, which
      // other tests use too.
      await admin.query(
        `begin; create role test_bi login in role taxclaims_reporting; select reporting.grant_all_clients('test_bi')`,
      );
      const { rows: before } = await admin.query(roles);
      await admin.query(sql);
      const { rows: changed } = await admin.query(roles);
      const { rows: server } = await admin.query<{ version: number }>(
        `select current_setting('server_version_num')::integer as version`,
      );
      if (!sql.startsWith('do $$ begin if') || (server[0]?.version ?? 0) >= 160_000) {
        expect(changed).not.toEqual(before);
      }
      await admin.query(await rolesSql());
      expect((await admin.query(roles)).rows).toEqual(before);
      const { rows } = await admin.query(`select from pg_auth_members where member = 'test_bi'::regrole`);
      expect(rows).toHaveLength(2);
      await admin.query('rollback');
    });
  });
});
