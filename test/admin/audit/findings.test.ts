import { readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { findingsBeside, type Found } from '../../support/durability.ts';
import { forSuite } from '../../support/suite.ts';
import { ACTIONS } from './actions.ts';
import { openAuditedWorld } from './auditor.ts';

interface Finding extends Found {
  readonly remedy: string;
}

const { admin } = await forSuite(openAuditedWorld());

const readFindings = async (): Promise<readonly Finding[]> =>
  findingsBeside(admin, (await admin.query<Finding>('select * from audit.findings')).rows);

/**
 * Runs `work` in a transaction and rolls the transaction back. Otherwise `work` could change roles, which belong to the
 * whole Postgres server, for other test suites.
 */
async function within<T>(sql: string, work: () => Promise<T>): Promise<T> {
  try {
    await admin.query(`begin; create role test_bi login in role taxclaims_reporting; ${sql}`);
    return await work();
  } finally {
    await admin.query('rollback');
  }
}

test('for each kind of problem that db/audit/findings defines, an action in actions.sql or server.test.ts causes the problem', () => {
  const files = readdirSync(new URL('../../../db/audit/findings', import.meta.url)).map((file) => file.slice(0, -4));
  // The names of the problems that only the tests in server.test.ts cause, because these problems concern the whole
  // Postgres server.
  const ofServer = ['other_database_open', 'setting_of_server'];
  const reported = ACTIONS.flatMap(({ findings }) => findings.map(({ finding }) => finding));
  expect([...new Set([...reported, ...ofServer])].sort()).toEqual(files.sort());
});

test('every row of audit.exceptions has a reason and excuses a problem that audit.findings would report, and no two rows excuse the same problem', async () => {
  const { rows } = await admin.query(
    `select e.finding, e.object, e.reason, count(f.object) as excused
     from audit.exceptions as e
     left join audit.findings_before_exceptions as f on f.finding = e.finding and f.object like e.object
     group by e.finding, e.object, e.reason
     having count(f.object) = 0 or length(e.reason) < 20`,
  );
  expect(rows).toEqual([]);
  const { rows: twice } = await admin.query(
    `select f.finding, f.object
     from audit.findings_before_exceptions as f
     join audit.exceptions as e on f.finding = e.finding and f.object like e.object
     group by f.finding, f.object
     having count(*) > 1`,
  );
  expect(twice).toEqual([]);
});

test('Postgres runs audit.findings without JIT compilation', async () => {
  const { rows } = await admin.query<{ 'QUERY PLAN': readonly { Plan: Record<string, number> }[] }>(
    'explain (format json) table audit.findings',
  );
  const { rows: limits } = await admin.query<{ compiled: number; inside: string[] }>(
    `select current_setting('jit_above_cost')::double precision as compiled, proconfig as inside
     from pg_proc where oid = 'audit.list_all_findings()'::regprocedure`,
  );
  // Postgres plans the query inside a function separately, so the function must also switch JIT off.
  expect(rows[0]?.['QUERY PLAN'][0]?.Plan['Total Cost']).toBeLessThan(limits[0]?.compiled ?? 0);
  expect(limits[0]?.inside).toContain('jit=off');
});

test('the view audit.findings reports a login that is a member of a predefined role of Postgres, unless audit.harmless_roles lists the role', async () => {
  await within('', async () => {
    const { rows } = await admin.query<{ role: string; harmless: boolean }>(
      `select r.rolname as role, h.name is not null as harmless
       from pg_roles as r
       left join audit.harmless_roles as h on h.name = r.rolname
       where r.rolname like 'pg\\_%' and r.rolname <> 'pg_database_owner'`,
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const { role, harmless } of rows) {
      await admin.query(`savepoint before; grant ${role} to test_bi`);
      const findings = await readFindings();
      expect({ role, findings: findings.map(({ finding }) => finding) }).toEqual({
        role,
        findings: harmless ? [] : ['login_reaches_privilege'],
      });
      for (const { remedy } of findings) await admin.query(remedy);
      expect(await readFindings()).toEqual([]);
      await admin.query('rollback to before');
    }
  });
});

test('the view audit.superusers lists every superuser, and for each superuser the logins that can become this superuser', async () => {
  await within('create role test_strong superuser login; grant test_strong to test_bi', async () => {
    await admin.query('set local role taxclaims_auditor');
    const { rows } = await admin.query('select name, is_first, become_by::text[] from audit.superusers');
    expect(rows).toContainEqual({ name: 'test_strong', is_first: false, become_by: ['test_bi'] });
    expect(rows).toContainEqual(expect.objectContaining({ is_first: true, become_by: [] }));
  });
});

test('the view audit.findings does not report an administrator who owns the database and creates roles, as db/README.md describes', async () => {
  const boss = `create role test_boss login createrole in role taxclaims_owner, taxclaims_definer;
    do $$ begin execute format('alter database %I owner to test_boss', current_database()); end $$`;
  expect(await within(boss, readFindings)).toEqual([]);
});

test('the view audit.findings reports the database template1 as open once a login owns a large object in template1', async () => {
  await within('grant connect on database template1 to public', async () => {
    const readOpen = async (): Promise<Finding[]> =>
      (await admin.query<Finding>(`select * from audit.findings where finding = 'other_database_open'`)).rows;
    expect(await readOpen()).toEqual([]);
    // This INSERT has the same effect as a login that creates a large object in the database template1.
    await admin.query(`insert into pg_shdepend (dbid, classid, objid, objsubid, refclassid, refobjid, deptype)
      select d.oid, 'pg_largeobject_metadata'::regclass, 4711, 0, 'pg_authid'::regclass, 'test_bi'::regrole, 'o'
      from pg_database as d where d.datname = 'template1'`);
    const open = await readOpen();
    expect(open).toEqual([expect.objectContaining({ object: 'template1' })]);
    for (const { remedy } of open) await admin.query(remedy);
    expect(await readOpen()).toEqual([]);
  });
});

test('the view audit.findings does not report a right that a new Postgres server already grants', async () => {
  const { rows } = await admin.query(
    `select object from audit.finding_catalog_right union all select object from audit.drift where kind = 'grant'`,
  );
  expect(rows).toEqual([]);
  const { rows: closed } = await admin.query(
    `select object from audit.applied
     where kind = 'grant' and object like 'function pg\\_read\\_%' and definition = 'without EXECUTE'`,
  );
  expect(closed.length).toBeGreaterThanOrEqual(8);
});
