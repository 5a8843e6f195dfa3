import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sampledByDay } from '../support/day.ts';
import { findingsBeside } from '../support/durability.ts';
import type { Found } from '../support/durability.ts';
import { sqlFor } from '../support/listed.ts';
import { forSuite } from '../support/suite.ts';
import { openAuditedWorld } from './auditor.ts';
import { FOREIGN, WAYS } from './ways.ts';

interface Finding extends Found {
  readonly remedy: string;
}

/** What a DBA sets for a login or the database, and is told nothing of. */
const HARMLESS: readonly string[] = [
  'alter role test_bi set search_path = reporting',
  `alter role test_bi set search_path = "$user", reporting, public`,
  `alter role test_bi set temp_file_limit = '2GB'`,
  `alter role test_bi set statement_timeout = '2min'`,
  `alter role test_bi set idle_in_transaction_session_timeout = '5min'`,
  'alter role test_bi set default_transaction_read_only = on',
  'alter role test_bi set enable_bitmapscan = off',
  `alter database :"DBNAME" set work_mem = '64MB'`,
  `alter database :"DBNAME" set timezone = 'Europe/Paris'`,
  'alter database :"DBNAME" set log_min_duration_statement = 500',
  'alter database :"DBNAME" set jit = off',
  `alter role test_bi set session_preload_libraries = 'auto_explain'`,
  'grant set on parameter temp_file_limit to test_bi',
  'grant pg_checkpoint to test_bi',
  'create role test_other login bypassrls in role pg_read_all_data',
  `create schema own; create type own.kind as enum ('a'); create cast (own.kind as varchar) with inout`,
  'create schema own; create table own.notes (id integer, note text); grant usage on schema own to test_bi; grant select on own.notes to test_bi',
  `create schema own; create function own.only_mine() returns integer language sql security definer return 1`,
  'create schema own; create view own.places with (security_invoker) as select client_id from reporting.sites; grant select on own.places to test_bi',
  'create schema own; create extension pg_trgm schema own; create extension unaccent schema own',
];

const world = await forSuite(openAuditedWorld());
const { admin } = world;

describe('a way to a tenant’s row past the policies', () => {
  // Never committed: roles belong to the whole server, where other tests run.
  beforeEach(async () => {
    await admin.query('begin; create role test_bi login in role taxclaims_reporting');
  });

  afterEach(async () => {
    await admin.query('rollback');
  });

  const found = async (): Promise<readonly Finding[]> =>
    findingsBeside(admin, (await admin.query<Finding>('select finding, object, remedy from audit.findings')).rows);

  /** Everything that the login is shown: rows, and notices on the way. */
  async function shownTo(login: string, sql: string): Promise<string> {
    const shown: unknown[] = [];
    const onNotice = ({ message }: { readonly message?: string | undefined }): void => {
      shown.push(message);
    };
    admin.on('notice', onNotice);
    try {
      await admin.query(`savepoint before; set local session authorization ${login}`);
      shown.push([await admin.query(sql)].flat().map(({ rows }) => rows as unknown));
    } finally {
      admin.off('notice', onNotice);
      await admin.query('rollback to before');
    }
    return JSON.stringify(shown);
  }

  const named = async (): Promise<readonly string[]> => {
    const { rows } = await admin.query<{ as_role: string }>(
      `select distinct as_role from audit.who_can_see($1) where kind = 'database login' and name = 'test_bi'`,
      [FOREIGN],
    );
    return rows.map((row) => row.as_role);
  };

  test('is not there before somebody opens one', async () => {
    expect(await found()).toEqual([]);
    expect(await named()).toEqual([]);
    expect(await shownTo('test_bi', 'select client_id from reporting.sites')).toBe('[[[]]]');
  });

  test.each(sampledByDay(WAYS).map((way) => [way.what, way] as const))('is told of: %s', async (_what, way) => {
    await admin.query(sqlFor(world, way.bad));
    // What keeps GET /health from 200 is said of a login of the API whatever else is said of it.
    const findings = (await found()).filter(({ finding }) => finding !== 'api_login_objection');
    expect(findings).toEqual([
      { finding: way.finding, object: expect.stringContaining(way.object), remedy: expect.any(String) },
    ]);
    if (way.reads !== undefined) {
      expect(await shownTo('test_bi', way.reads.sql)).toContain(way.reads.said);
    }
    expect(await named()).toEqual(way.isNamed ? [way.finding] : []);
    for (const { remedy } of findings) await admin.query(remedy);
    await admin.query(way.mend);
    expect(await found()).toEqual([]);
    expect(await named()).toEqual([]);
  });

  test.each(sampledByDay(HARMLESS))('is not seen in what is none: %s', async (statement) => {
    await admin.query(sqlFor(world, statement));
    expect(await found()).toEqual([]);
    expect(await named()).toEqual([]);
  });

  test('is seen by an auditor as by the superuser', async () => {
    await admin.query('grant pg_monitor to test_bi; create schema odd authorization test_bi');
    const asked = await found();
    await admin.query('set local role taxclaims_auditor');
    expect(asked).toHaveLength(2);
    expect(await found()).toEqual(asked);
    expect(await named()).toEqual(['login_reaches_privilege']);
  });

  test('is each role of Postgres’s own, but for those of the list', async () => {
    const { rows } = await admin.query<{ role: string; harmless: boolean }>(
      `select r.rolname as role, h.name is not null as harmless
       from pg_roles as r
       left join audit.harmless_roles as h on h.name = r.rolname
       where r.rolname like 'pg\\_%' and r.rolname <> 'pg_database_owner'`,
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const { role, harmless } of rows) {
      await admin.query(`savepoint before; grant ${role} to test_bi`);
      const findings = await found();
      expect([role, findings.map(({ finding }) => finding)]).toEqual([
        role,
        harmless ? [] : ['login_reaches_privilege'],
      ]);
      for (const { remedy } of findings) await admin.query(remedy);
      expect(await found()).toEqual([]);
      await admin.query('rollback to before');
    }
  });

  test('is the login of a superuser, which is listed with whoever can become it', async () => {
    await admin.query('create role test_strong superuser login; grant test_strong to test_bi');
    await admin.query('set local role taxclaims_auditor');
    const { rows } = await admin.query('select name, is_first, become_by::text[] from audit.superusers');
    expect(rows).toContainEqual({ name: 'test_strong', is_first: false, become_by: ['test_bi'] });
    expect(rows).toContainEqual(expect.objectContaining({ is_first: true, become_by: [] }));
  });

  test('is not the documented administrator, who owns the database, makes roles and applies it', async () => {
    await admin.query(`create role test_boss login createrole in role taxclaims_owner, taxclaims_definer;
      do $$ begin execute format('alter database %I owner to test_boss', current_database()); end $$`);
    expect(await found()).toEqual([]);
  });

  test('leads not through a database that comes with Postgres, until a login keeps something there', async () => {
    const open = async (): Promise<readonly Finding[]> =>
      (
        await admin.query<Finding>(
          `select finding, object, remedy from audit.findings where finding = 'other_database_open'`,
        )
      ).rows;
    await admin.query('grant connect on database template1 to public');
    expect(await open()).toEqual([]);
    // What the server itself writes where a login makes a large object there: this transaction is in another database.
    await admin.query(`insert into pg_shdepend (dbid, classid, objid, objsubid, refclassid, refobjid, deptype)
      select d.oid, 'pg_largeobject_metadata'::regclass, 4711, 0, 'pg_authid'::regclass, 'test_bi'::regrole, 'o'
      from pg_database as d where d.datname = 'template1'`);
    const [finding, ...more] = await open();
    expect([finding?.object, more]).toEqual(['template1', []]);
    await admin.query(finding?.remedy ?? '');
    expect(await open()).toEqual([]);
  });
});
