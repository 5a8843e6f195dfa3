import { rm } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/db/deploy/migrate.ts';
import { startEmbeddedServer } from '../../src/embedded/postgres/server.ts';
import { sampledByDay } from '../support/day.ts';
import { withAdmin } from '../support/database.ts';
import { findingsBeside } from '../support/durability.ts';
import { rolesSql } from '../support/roles-sql.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { REQUEST_ROLES } from '../policies/rights.ts';
import { sqlFor } from '../support/listed.ts';
import { forSuite } from '../support/suite.ts';
import { BREAKAGES } from './breakages.ts';
import { openAsSuperuser } from './superuser.ts';

interface Finding {
  readonly finding: string;
  readonly object: string;
  readonly remedy: string;
}

/** A statement ends as one does, with a comment behind it or none; everything else is advice, and has no such end. */
const STATEMENT = /;(?:\s+--[^\n]*)?$/;

/** What nobody can mend with a statement that is known beforehand: it takes a decision, or another file. */
const ADVICE = [
  ...[
    'api_login_objection',
    'audit_month_lost',
    'copy_within_reach',
    'foreign_key_across_tenants',
    'identity_change_undelivered',
    'impossible_row',
    'login_reaches_house_role',
    'login_reaches_privilege',
  ],
  ...[
    'only_restrictive',
    'policy_constant_true',
    'policy_ignores_row',
    'policy_to_public',
    'reminder_unsent',
    'reporting_reads_setting',
  ],
  ...['rights_outside_house', 'server_with_known_holes', 'setting_read_per_row', 'several_permissive'],
  ...['table_without_policies', 'write_without_check'],
];

/** Since Postgres 16 inheritance is the membership's, before it was the member's. */
const INHERITING = `do $$ begin
    if current_setting('server_version_num')::integer < 160000 then alter role taxclaims_api inherit;
    else ${REQUEST_ROLES.map((role) => `execute 'grant taxclaims_${role} to taxclaims_api with inherit true';`).join(' ')}
    end if;
  end $$`;

const { admin, database } = await forSuite(openAsSuperuser());

describe('the remedies', () => {
  const findings = async (): Promise<readonly Finding[]> =>
    findingsBeside(admin, (await admin.query<Finding>('select finding, object, remedy from audit.findings')).rows);

  /** What somebody does, and the findings after their remedies were run as they are printed. */
  async function remedied(bad: string): Promise<{ statements: string[]; left: readonly Finding[] }> {
    // Never committed: roles belong to the whole server, where other tests run.
    await admin.query('begin');
    try {
      await admin.query(sqlFor(database, bad));
      const found = await findings();
      const statements = found.map(({ remedy }) => remedy).filter((remedy) => STATEMENT.test(remedy));
      for (const statement of statements) await admin.query(statement);
      return { statements, left: await findings() };
    } finally {
      await admin.query('rollback');
    }
  }

  test.each(sampledByDay(BREAKAGES).map(({ what, bad }) => [what, bad] as const))(
    'of %s: what is a statement runs as printed, and mends',
    async (_what, bad) => {
      const { left } = await remedied(bad);
      expect(left.filter(({ finding, remedy }) => !ADVICE.includes(finding) || remedy.includes(';'))).toEqual([]);
    },
  );

  const STRANGER = 'create role "A stranger"';
  test.each([
    ['a right of a role with an odd name', `${STRANGER}; grant select (site_name) on public.sites to "A stranger"`],
    ['a right to a whole view', `${STRANGER}; grant select on reporting.sites to "A stranger"`],
    ['a right to a sequence', `${STRANGER}; grant usage on sequence app.migrations_id_seq to "A stranger"`],
    ['a right to run a function', `${STRANGER}; grant execute on function app.client_access() to "A stranger"`],
    [
      'a right to run a definer’s function',
      `${STRANGER}; grant execute on function app.locate(text, uuid) to "A stranger"`,
    ],
    ['a right to a schema', `${STRANGER}; grant usage, create on schema reporting to "A stranger"`],
    [
      'rights on the database',
      `${STRANGER}; do $$ begin execute format('grant connect, create, temporary on database %I to "A stranger", public', current_database()); end $$`,
    ],
    ['a right past the policies to a view', `${STRANGER}; grant trigger on reporting.sites to "A stranger"`],
    ['a secret that everybody reads', 'grant select (password_hash) on public.users to public'],
    ['a secret by way of the whole table', 'grant select on public.users to taxclaims_client'],
    [
      'a membership that somebody else granted',
      `${STRANGER}; grant pg_monitor to "A stranger" with admin option; set local session authorization "A stranger";
       grant pg_monitor to taxclaims_auditor; set local session authorization postgres`,
    ],
    ['inheritance of every request role', INHERITING],
  ])('mend %s', async (_what, bad) => {
    const { statements, left } = await remedied(bad);
    expect(statements.length).toBeGreaterThan(0);
    expect(left).toEqual([]);
  });

  test('of a right to a whole table leave the rights to its columns', async () => {
    await admin.query('begin');
    const columns = `select column_name from audit.rights where object = 'public.users' and grantee = 'taxclaims_client' and privilege = 'SELECT' order by 1`;
    const { rows: before } = await admin.query(columns);
    await admin.query('grant select on public.users to taxclaims_client');
    for (const { remedy } of await findings()) await admin.query(remedy);
    expect((await admin.query(columns)).rows).toEqual(before);
    expect(before.length).toBeGreaterThan(5);
    await admin.query('rollback');
  });

  test('of locks for everybody leave the definer the one that keyed requests need', async () => {
    const LOCK = 'pg_catalog.pg_try_advisory_xact_lock(bigint)';
    await admin.query('begin');
    // As it is where db:migrate was no superuser.
    await admin.query(
      `grant execute on function ${LOCK} to public; revoke execute on function ${LOCK} from taxclaims_definer;
       savepoint before`,
    );
    const printed = (await findings()).map(({ remedy }) => remedy).join('\n');
    // A deploy by a superuser does the same.
    const deployed = await rolesSql();
    for (const mending of [printed, deployed]) {
      await admin.query('rollback to before');
      await admin.query(mending);
      expect(await findings()).toEqual([]);
      const { rows } = await admin.query(
        `select has_function_privilege('taxclaims_definer', '${LOCK}', 'EXECUTE') as definer,
            has_function_privilege('taxclaims_client', '${LOCK}', 'EXECUTE') as others`,
      );
      expect(rows).toEqual([{ definer: true, others: false }]);
    }
    await admin.query('rollback');
  });

  test('of a server that loses what it acknowledged run as printed, and mend', async () => {
    const dataDir = await createScratchFolder();
    const server = await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }) });
    try {
      await migrate({ adminUrl: server.adminUrl, log: pino({ level: 'silent' }) });
      await withAdmin(server.adminUrl, async (own) => {
        const ask = async (): Promise<string[]> =>
          (await own.query<Finding>(`select remedy from audit.findings where finding = 'durability_off'`)).rows.map(
            ({ remedy }) => remedy,
          );
        const reloaded = async (value: string): Promise<void> => {
          while (
            (await own.query(`select from pg_settings where name = 'fsync' and setting = '${value}'`)).rowCount === 0
          );
        };
        await own.query('alter system set fsync = off');
        await own.query('select pg_reload_conf()');
        await reloaded('off');
        const [remedy = '', ...others] = await ask();
        expect(others).toEqual([]);
        // As psql does, one statement after the other: this one cannot be in a transaction.
        for (const statement of remedy.split(/(?<=;)/)) await own.query(statement);
        await reloaded('on');
        expect(await ask()).toEqual([]);
      });
    } finally {
      await server.stop();
      await rm(dataDir, { recursive: true });
    }
  });
});
