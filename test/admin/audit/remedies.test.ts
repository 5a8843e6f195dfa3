import { expect, test } from '@jest/globals';
import { sampledByDay } from '../../support/day.ts';
import { REQUEST_ROLES } from '../../policies/rights.ts';
import { findingsBeside, type Found } from '../../support/durability.ts';
import { rolesSql } from '../../support/roles-sql.ts';
import { forSuite } from '../../support/suite.ts';
import { openAsSuperuser } from './superuser.ts';

/*
 * The view audit.findings offers SQL that repairs each problem. These tests run this SQL for unusual names and grants;
 * actions.test.ts runs it for every kind of problem.
 */

interface Finding extends Found {
  readonly remedy: string;
}

const STRANGER = 'create role "A stranger";';
const LOCK = 'pg_catalog.pg_try_advisory_xact_lock(bigint)';

/**
 * SQL that makes taxclaims_api inherit the rights of every request role. Since Postgres 16 this needs an option of each
 * membership, and before that an attribute of the role.
 */
const INHERITING = `do $$ begin
    if current_setting('server_version_num')::integer < 160000 then alter role taxclaims_api inherit;
    else ${REQUEST_ROLES.map((role) => `execute 'grant taxclaims_${role} to taxclaims_api with inherit true';`).join(' ')}
    end if;
  end $$`;

const { admin } = await forSuite(openAsSuperuser());

const readFindings = async (): Promise<readonly Finding[]> =>
  findingsBeside(admin, (await admin.query<Finding>('select finding, object, remedy from audit.findings')).rows);

const OBJECTS = [
  { what: 'SELECT on a column', sql: `${STRANGER} grant select (site_name) on public.sites to "A stranger"` },
  { what: 'SELECT on a whole view', sql: `${STRANGER} grant select on reporting.sites to "A stranger"` },
  { what: 'USAGE on a sequence', sql: `${STRANGER} grant usage on sequence app.migrations_id_seq to "A stranger"` },
  { what: 'EXECUTE on a function', sql: `${STRANGER} grant execute on function app.client_access() to "A stranger"` },
  {
    what: 'EXECUTE on a function of taxclaims_definer',
    sql: `${STRANGER} grant execute on function app.locate(text, uuid) to "A stranger"`,
  },
  { what: 'CREATE on a schema', sql: `${STRANGER} grant usage, create on schema reporting to "A stranger"` },
  {
    what: 'CONNECT, CREATE and TEMPORARY on the database',
    sql: `${STRANGER} do $$ begin execute format(
      'grant connect, create, temporary on database %I to "A stranger", public', current_database()); end $$`,
  },
  { what: 'TRIGGER on a view', sql: `${STRANGER} grant trigger on reporting.sites to "A stranger"` },
  {
    what: 'SELECT of PUBLIC on password hashes',
    sql: 'grant select (password_hash) on public.users to public',
  },
  {
    what: 'a membership that another role granted',
    sql: `${STRANGER} grant pg_monitor to "A stranger" with admin option; set local session authorization "A stranger";
      grant pg_monitor to taxclaims_auditor; set local session authorization postgres`,
  },
  { what: 'the inheritance of every request role by taxclaims_api', sql: INHERITING },
];

test.each(sampledByDay(OBJECTS))(
  'the SQL that the view audit.findings offers as a remedy revokes $what',
  async ({ sql }) => {
    await admin.query('begin');
    try {
      await admin.query(sql);
      const remedies = (await readFindings()).map(({ remedy }) => remedy);
      expect(remedies).not.toEqual([]);
      for (const remedy of remedies.filter((one) => one.includes(';'))) await admin.query(remedy);
      expect(await readFindings()).toEqual([]);
    } finally {
      await admin.query('rollback');
    }
  },
);

test('the SQL by which audit.findings would revoke a role’s right to a whole table keeps the role’s rights to single columns', async () => {
  const columns = `select column_name from audit.rights
    where object = 'public.users' and grantee = 'taxclaims_client' and privilege = 'SELECT' order by 1`;
  await admin.query('begin');
  const { rows: before } = await admin.query(columns);
  await admin.query('grant select on public.users to taxclaims_client');
  for (const { remedy } of await readFindings()) await admin.query(remedy);
  expect((await admin.query(columns)).rows).toEqual(before);
  expect(before.length).toBeGreaterThan(5);
  expect(await readFindings()).toEqual([]);
  await admin.query('rollback');
});

test('taxclaims_definer keeps the right to take advisory locks when a deploy, or the SQL that audit.findings offers, revokes this right from PUBLIC', async () => {
  await admin.query('begin');
  // A deploy by a login that is no superuser can neither revoke this lock function from PUBLIC nor grant it to
  // taxclaims_definer. This SQL leaves the database as such a deploy would.
  await admin.query(
    `grant execute on function ${LOCK} to public; revoke execute on function ${LOCK} from taxclaims_definer;
     savepoint before`,
  );
  const printed = (await readFindings()).map(({ remedy }) => remedy).join('\n');
  for (const mending of [printed, await rolesSql()]) {
    await admin.query('rollback to before');
    await admin.query(mending);
    expect(await readFindings()).toEqual([]);
    const { rows } = await admin.query(
      `select has_function_privilege('taxclaims_definer', '${LOCK}', 'EXECUTE') as definer,
          has_function_privilege('taxclaims_client', '${LOCK}', 'EXECUTE') as others`,
    );
    expect(rows).toEqual([{ definer: true, others: false }]);
  }
  await admin.query('rollback');
});
