import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { findingsBeside } from '../support/durability.ts';
import type { Found } from '../support/durability.ts';
import { type AuditedWorld, openAuditedWorld } from './auditor.ts';
import { WAYS } from './ways/index.ts';
import { HARMLESS } from './ways/logins.ts';
import { FOREIGN, type Way } from './ways/way.ts';

interface Finding extends Found {
  readonly remedy: string;
}

describe('a way to a tenant’s row past the policies', () => {
  let world: AuditedWorld;
  let admin: pg.Client;

  beforeAll(async () => {
    world = await openAuditedWorld();
    ({ admin } = world);
  });

  afterAll(async () => {
    await world.close();
  });

  // Never committed: roles belong to the whole server, where other tests run.
  beforeEach(async () => {
    await admin.query('begin; create role test_bi login in role taxclaims_reporting');
  });

  afterEach(async () => {
    await admin.query('rollback');
  });

  const found = async (): Promise<readonly Finding[]> =>
    findingsBeside(
      admin,
      (await admin.query<Finding>('select finding, object, remedy from audit.findings')).rows,
    );

  /** Everything that the login is shown: rows, and notices on the way. */
  async function shownTo(login: string, sql: string): Promise<string> {
    const shown: unknown[] = [];
    const hear = ({ message }: { readonly message?: string | undefined }): void => {
      shown.push(message);
    };
    admin.on('notice', hear);
    try {
      await admin.query(`savepoint before; set local session authorization ${login}`);
      shown.push([await admin.query(sql)].flat().map(({ rows }) => rows as unknown));
    } finally {
      admin.off('notice', hear);
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

  test.each(WAYS.map((way) => [way.what, way] as const))('is told of: %s', async (_what, way: Way) => {
    await admin.query(way.bad);
    // What keeps GET /health from 200 is said of a login of the API whatever else is said of it.
    const findings = (await found()).filter(({ finding }) => finding !== 'api_login_objection');
    expect(findings).toEqual([
      { finding: way.finding, object: expect.stringContaining(way.object), remedy: expect.any(String) },
    ]);
    if (way.reads !== undefined) {
      expect(await shownTo('test_bi', way.reads.sql)).toContain(way.reads.seen);
    }
    expect(await named()).toEqual(way.named === true ? [way.finding] : []);
    for (const { remedy } of findings) await admin.query(remedy);
    await admin.query(way.mend ?? '');
    expect(await found()).toEqual([]);
    expect(await named()).toEqual([]);
  });

  test.each(HARMLESS)('is not seen in what is none: %s', async (statement) => {
    await admin.query(statement);
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
