import { describe, expect, test } from '@jest/globals';
import { sampledByDay } from '../../support/day.ts';
import { listed, sqlFor } from '../../support/listed.ts';
import { forSuite } from '../../support/suite.ts';
import { openAsSuperuser } from './superuser.ts';

const ROWS = listed('admin/audit/objections.sql').map(({ head: [what = '', attributes = '', ...said], sql }) => ({
  what,
  attributes,
  said,
  sql,
}));

const { admin, database } = await forSuite(openAsSuperuser());

describe('app.objections, the reasons for which the service refuses a login of the API', () => {
  /**
   * Creates a login, returns the reasons why the function app.objections refuses the login, and rolls the creation
   * back.
   */
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

  /**
   * Wraps SQL so that it runs only on Postgres 16 or later, because earlier releases have no options of role
   * memberships.
   */
  const since16 = (statement: string): string =>
    `do $$ begin if current_setting('server_version_num')::integer >= 160000 then execute '${statement}'; end if; end $$`;

  test.each(sampledByDay(ROWS))(
    'if the API login has $what, the function app.objections gives this as a reason why the service must not start',
    async ({ attributes, sql, said }) => {
      expect(await objectionsOf(IN_API)).toEqual([]);
      const found = await objectionsOf(attributes, sqlFor(database, sql));
      expect(
        found.map((objection) => objection.replace('the login test_suspect ', '').replace(/^owns \d\d.*/, 'owns')),
      ).toEqual(said);
    },
  );

  test('if the API login is a member of any predefined role of Postgres, the function app.objections gives this as a reason why the service must not start', async () => {
    const { rows } = await admin.query<{ role: string }>(
      `select rolname as role from pg_roles where rolname like 'pg\\_%' and rolname <> 'pg_database_owner'`,
    );
    expect(rows.map(({ role }) => role)).toContain('pg_execute_server_program');
    for (const { role } of rows) {
      const said = await objectionsOf(`${IN_API}, ${role}`);
      expect(said).toContain(`the login test_suspect is a member of ${role}`);
    }
  });

  test('if the API login can grant the role taxclaims_owner but not use it, the function app.objections gives this as a reason why the service must not start', async () => {
    const granted = 'grant taxclaims_owner to test_suspect with admin true, inherit false, set false';
    const said = await objectionsOf(IN_API, since16(granted));
    const { rows } = await admin.query<{ is16: boolean }>(
      `select current_setting('server_version_num')::integer >= 160000 as is16`,
    );
    const whole = 'the login test_suspect is a member of taxclaims_owner with the right to give it to others';
    expect(said.includes(whole)).toBe(rows[0]?.is16);
  });

  test('if the API login cannot become a request role, the function app.objections gives this as a reason why the service must not start', async () => {
    expect(await objectionsOf(IN_API, 'revoke taxclaims_client from taxclaims_api')).toEqual([
      'the login test_suspect cannot become taxclaims_client: run db:migrate',
    ]);
  });

  test('the function app.objections names every table without forced row-level security as a reason why the service must not start', async () => {
    const open = `alter table public.sites disable row level security; alter table app.migrations no force row level security;
      create table public.added (id integer); alter table public.added owner to taxclaims_owner`;
    expect(await objectionsOf(IN_API, open)).toEqual([
      expect.stringMatching(
        /^row-level security is off or not forced on (?=.*public\.sites)(?=.*app\.migrations)(?=.*public\.added)/,
      ),
    ]);
  });
});
