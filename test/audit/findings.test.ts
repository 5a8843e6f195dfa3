import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { sampledByDay } from '../support/day.ts';
import { findingsBeside } from '../support/durability.ts';
import type { Found } from '../support/durability.ts';
import { sqlFor } from '../support/listed.ts';
import { forSuite } from '../support/suite.ts';
import { BREAKAGES } from './breakages.ts';
import { WAYS } from './ways.ts';
import { openAsSuperuser } from './superuser.ts';

/** Of the server as a whole, which are tried by themselves. */
const OF_SERVER = ['other_database_open', 'setting_of_server'];
const FINDINGS = 'select finding, object from audit.findings';

const { admin, database } = await forSuite(openAsSuperuser());

describe('the findings', () => {
  const found = async (): Promise<readonly Found[]> => findingsBeside(admin, (await admin.query<Found>(FINDINGS)).rows);

  test('a database as it was migrated has none but those of its server', async () => {
    expect(await found()).toEqual([]);
  });

  test.each(sampledByDay(BREAKAGES).map((breakage) => [breakage.what, breakage] as const))(
    'a DBA is told of %s',
    async (_what, { finding, object, bad, mend }) => {
      // Never committed: roles belong to the whole server, where other tests run.
      await admin.query('begin');
      try {
        await admin.query(sqlFor(database, bad));
        // What keeps GET /health from 200 is said of a login of the API whatever else is said of it.
        const said = (await found()).filter((one) => [finding, one.finding].indexOf('api_login_objection') !== 1);
        expect(said).toEqual([{ finding, object: expect.stringContaining(object) }]);
        if (mend !== undefined) {
          await admin.query(mend);
          expect(await found()).toEqual([]);
        }
      } finally {
        await admin.query('rollback');
      }
    },
  );

  test('every file of a finding has something that it finds', () => {
    const files = readdirSync(new URL('../../db/audit/findings', import.meta.url)).map((file) =>
      file.replace('.sql', ''),
    );
    const tried = [...BREAKAGES, ...WAYS].map(({ finding }) => finding);
    expect([...new Set([...tried, ...OF_SERVER])].sort()).toEqual(files.sort());
  });

  test('every exception excuses something, says why, and nothing is excused twice', async () => {
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

  test('are not compiled by a server that compiles what it expects much of', async () => {
    const { rows } = await admin.query<{ 'QUERY PLAN': readonly { Plan: Record<string, number> }[] }>(
      'explain (format json) table audit.findings',
    );
    const { rows: limits } = await admin.query<{ compiled: number; inside: string[] }>(
      `select current_setting('jit_above_cost')::double precision as compiled, proconfig as inside
       from pg_proc where oid = 'audit.list_all_findings()'::regprocedure`,
    );
    // What the function does inside is planned by itself, where compiling is switched off.
    expect(rows[0]?.['QUERY PLAN'][0]?.Plan['Total Cost']).toBeLessThan(limits[0]?.compiled ?? 0);
    expect(limits[0]?.inside).toContain('jit=off');
  });

  test('each finding says how grave it is, what is wrong and what to do', async () => {
    await admin.query('begin');
    await admin.query('alter table public.sites disable row level security');
    const { rows } = await admin.query<Found>('select * from audit.findings');
    await admin.query('rollback');
    expect(await findingsBeside(admin, rows)).toEqual([
      {
        finding: 'rls_disabled',
        object: 'public.sites',
        level: 'error',
        detail: 'row-level security is off',
        remedy: 'alter table public.sites enable row level security;',
      },
    ]);
  });
});
