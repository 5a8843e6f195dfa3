import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sampledByDay } from '../../support/day.ts';
import { findingsBeside, type Found } from '../../support/durability.ts';
import { sqlFor } from '../../support/listed.ts';
import { forSuite } from '../../support/suite.ts';
import { ACTIONS, FOREIGN } from './actions.ts';
import { openAuditedWorld } from './auditor.ts';

interface Finding extends Found {
  readonly remedy: string;
}

/**
 * Problems that audit.findings reports without SQL that would repair them. A DBA must decide what to do, or change a
 * file of the repository.
 */
const ADVICE = [
  ...['api_login_objection', 'audit_month_lost', 'extension_not_known'],
  ...['foreign_key_across_tenants', 'identity_change_undelivered', 'impossible_row', 'login_owns'],
  ...['login_reaches_house_role', 'login_reaches_privilege', 'only_restrictive', 'policy_constant_true'],
  ...['policy_ignores_row', 'policy_to_public', 'reminder_unsent', 'reporting_objection', 'reporting_reads_setting'],
  ...['rights_outside_house', 'server_with_known_holes', 'setting_read_per_row', 'several_permissive'],
  ...['table_without_policies', 'write_without_check'],
];

/** Matches a remedy in audit.findings that is an SQL statement. Any other remedy is advice in words. */
const STATEMENT = /;(?:\s+--[^\n]*)?$/;

const world = await forSuite(openAuditedWorld());
const { admin } = world;
/**
 * The rows of the view audit.drift, which lists changed database objects, in a new database. There are such rows only
 * while the expected objects in db/audit/declared are out of date.
 */
const stale = new Set<string>();
for (const row of await readDrift()) stale.add(JSON.stringify(row));
const drawn = sampledByDay(ACTIONS);

describe(`what audit.findings and audit.drift report after actions of a DBA (${drawn.length} of ${ACTIONS.length})`, () => {
  // All actions of a DBA are rolled back. Otherwise they could change roles, which belong to the whole Postgres server,
  // for other test suites.
  beforeEach(async () => {
    await admin.query('begin; create role test_bi login in role taxclaims_reporting');
  });

  afterEach(async () => {
    await admin.query('rollback');
  });

  test('in a new database the view audit.findings is empty and a reporting login without grants sees no client', async () => {
    expect(await readFindings()).toEqual([]);
    expect(await readWaysOfLogin()).toEqual([]);
    expect(await shownToLogin('select client_id from reporting.sites')).toBe('[[[]]]');
  });

  test.each(drawn.filter(({ hasOthers }) => !hasOthers))(
    'the view audit.findings reports $problem, and the SQL in the view’s column remedy repairs this problem and drops no row, table or view',
    async ({ sql, findings, drift, ways, shows, mend }) => {
      await admin.query(sqlFor(world, sql));
      const found = await readFindings();
      // Many problems of an API login also cause the problem api_login_objection. The test ignores api_login_objection
      // unless an entry of actions.sql names it.
      const isExpected = findings.some(({ finding }) => finding === 'api_login_objection');
      expect(found.filter(({ finding }) => isExpected || finding !== 'api_login_objection')).toEqual(
        findings.map(expectedFinding),
      );
      if (drift.length > 0) expect(await readDrift()).toEqual(expect.arrayContaining(drift));
      if (shows !== undefined) expect(await shownToLogin(shows.sql)).toContain(shows.said);
      expect(await readWaysOfLogin()).toEqual(ways);

      const before = await readContents();
      for (const { remedy } of found) if (STATEMENT.test(remedy)) await admin.query(remedy);
      const after = await readContents();
      expect([...before].filter(([relation, digest]) => after.get(relation) !== digest)).toEqual([]);
      if (mend !== undefined) await admin.query(mend);
      const left = await readFindings();
      const isAdvice = ({ finding, remedy }: Finding): boolean =>
        mend === undefined && ADVICE.includes(finding) && !remedy.includes(';');
      expect(left.filter((one) => !isAdvice(one))).toEqual([]);
      if (ways.length > 0 && left.length === 0) expect(await readWaysOfLogin()).toEqual([]);
    },
  );

  const amongOthers = drawn.filter(({ hasOthers }) => hasOthers);
  if (amongOthers.length > 0)
    test.each(amongOthers)(
      'the audit’s views audit.findings and audit.drift report $problem',
      async ({ sql, findings, drift }) => {
        await admin.query(sqlFor(world, sql));
        expect(await readFindings()).toEqual(expect.arrayContaining(findings.map(expectedFinding)));
        if (drift.length > 0) expect(await readDrift()).toEqual(expect.arrayContaining(drift));
      },
    );
});

const expectedFinding = ({ finding, object }: Found): unknown => ({
  finding,
  object: expect.stringContaining(object),
  remedy: expect.any(String),
});

async function readDrift(): Promise<{ kind: string; object: string }[]> {
  const { rows } = await admin.query<{ kind: string; object: string }>('select kind, object from audit.drift');
  return rows.filter((row) => !stale.has(JSON.stringify(row)));
}

async function readFindings(): Promise<readonly Finding[]> {
  const { rows } = await admin.query<Finding>('select finding, object, remedy from audit.findings');
  return findingsBeside(admin, rows);
}

/**
 * Returns a digest of the rows of each table, view and materialized view that is not of Postgres. A remedy may end a
 * grant of a reporting login, and each such end adds an audit record, so both tables count with their structure alone.
 */
async function readContents(): Promise<ReadonlyMap<string, string>> {
  const { rows } = await admin.query<{ relation: string; is_read: boolean }>(
    `select oid::regclass::text as relation,
         relkind in ('r', 'm') and oid <> 'reporting.grants'::regclass and relnamespace <> 'audit_log'::regnamespace as is_read
     from pg_class
     where oid >= 16384 and relkind in ('r', 'p', 'v', 'm') and relnamespace <> 'pg_toast'::regnamespace`,
  );
  const read = rows.filter(({ is_read }) => is_read).map(({ relation }) => relation);
  const digests = await admin.query<{ relation: string; digest: string }>(
    read
      .map(
        (relation) =>
          `select '${relation}' as relation, md5(coalesce(string_agg(t::text, ';' order by t::text), '')) as digest from only ${relation} as t`,
      )
      .join(' union all '),
  );
  const found = new Map(digests.rows.map(({ relation, digest }) => [relation, digest]));
  return new Map(rows.map(({ relation }) => [relation, found.get(relation) ?? 'is there']));
}

/**
 * Returns the reasons why the database login test_bi sees a client that nobody has granted to it, as the function
 * audit.who_can_see lists them.
 */
async function readWaysOfLogin(): Promise<string[]> {
  const { rows } = await admin.query<{ as_role: string }>(
    `select distinct as_role from audit.who_can_see($1) where kind = 'database login' and name = 'test_bi'`,
    [FOREIGN],
  );
  return rows.map(({ as_role }) => as_role);
}

/** Returns all rows and notices that the database login test_bi gets when it runs the given SQL. */
async function shownToLogin(sql: string): Promise<string> {
  const shown: unknown[] = [];
  const keepNotice = ({ message }: { readonly message?: string | undefined }): void => {
    shown.push(message);
  };
  admin.on('notice', keepNotice);
  try {
    await admin.query('savepoint before; set local session authorization test_bi');
    shown.push([await admin.query(sql)].flat().map(({ rows }) => rows as unknown));
  } finally {
    admin.off('notice', keepNotice);
    await admin.query('rollback to before');
  }
  return JSON.stringify(shown);
}
