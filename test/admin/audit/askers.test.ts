import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { withAdmin } from '../../support/database.ts';
import { forSuite } from '../../support/suite.ts';
import { audit } from '../command.ts';
import { openAsSuperuser } from './superuser.ts';

/**
 * SQL that makes the audit report several problems. Some of the created objects have dates and intervals, which
 * Postgres prints in the format that the session has set.
 */
const BROKEN = `
  create table public.added (
    "Odd name" interval default '1 year 2 mons 03:04:05', at timestamptz default '2026-01-02 03:04:05+06',
    day date default '2026-03-04', share double precision default 0.1::double precision / 3, raw bytea default '\\x00ff',
    check ("Odd name" <> interval '-1 day'), check (raw <> '\\x01'), check (day::text !~ '^\\d+\\\\$')
  );
  create view public.adding as select "Odd name", at + interval '3 days 04:00' as later, raw || '\\x02' as more,
    timestamptz '2026-05-06 07:08+09' as then from public.added where day::text !~ E'\\\\w';
  create function public.asking() returns text language sql begin atomic
    select 'a\\b' || interval '-1 mon +2 days' || timestamptz '2026-07-08 09:10+11' || 0.3::double precision; end;
  alter function public.asking() cost 0.1234567 set datestyle = 'German' ;
  create policy added on public.added using (at < '2026-09-10 11:12+13' and day::text !~ '\\d');
  alter table public.sites disable row level security;
  grant select on public.added to taxclaims_reporting`;

/**
 * A query that returns unusual values for each setting of formats and names, except for settings that would make all
 * queries fail.
 */
const SETTINGS = `
  select name, case
      when name in ('DateStyle') then array['German', 'SQL, DMY', 'Postgres, YMD']
      when name = 'TimeZone' then array['Asia/Kathmandu', 'America/St_Johns']
      when name = 'extra_float_digits' then array['-15', '3']
      when name = 'search_path' then array['public, app, audit, reporting', 'reporting, pg_catalog']
      when vartype in ('bool', 'enum') then array_remove(coalesce(enumvals, '{on,off}'), reset_val)
      end as values
  from pg_settings
  where context = 'user'
    and (category like 'Client Connection Defaults / %' or category like 'Version and Platform%')
    and name not in ('row_security', 'default_transaction_read_only', 'transaction_read_only', 'transaction_isolation',
      'transaction_deferrable', 'default_transaction_isolation', 'restrict_nonsystem_relation_kind')
    and (vartype in ('bool', 'enum') or name in ('DateStyle', 'TimeZone', 'extra_float_digits', 'search_path'))`;

const SAID = `
  select 'finding' as of, to_jsonb(f)::text as said from audit.findings as f
  union all
  select 'drift', to_jsonb(d)::text from audit.drift as d
  union all
  select 'fact', to_jsonb(s)::text from audit.state() as s
  order by 1, 2`;

const { database, admin } = await forSuite(openAsSuperuser());

describe('the views of the schema audit in a session with unusual settings', () => {
  const said = async (client = admin): Promise<string[]> =>
    (await client.query<{ of: string; said: string }>(SAID)).rows.map((row) => `${row.of} ${row.said}`);

  test('a superuser, an auditor and the owner of the tables read the same rows of audit.findings and audit.drift, whatever formats their session sets', async () => {
    const { rows: settings } = await admin.query<{ name: string; values: string[] }>(SETTINGS);
    expect(settings.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['DateStyle', 'IntervalStyle', 'bytea_output', 'quote_all_identifiers', 'xmlbinary']),
    );
    await admin.query('begin');
    try {
      await admin.query(BROKEN);
      const meant = await said();
      expect(meant.filter((row) => row.startsWith('finding')).length).toBeGreaterThan(3);
      expect(meant.filter((row) => row.startsWith('drift')).length).toBeGreaterThan(5);
      for (let other = 0; other < 3; other += 1) {
        for (const role of ['none', 'taxclaims_auditor', 'taxclaims_owner'].slice(0, other === 0 ? 3 : 1)) {
          await admin.query('savepoint before');
          for (const { name, values } of settings) {
            await admin.query(`select set_config($1, $2, true)`, [name, values[other % values.length]]);
          }
          await admin.query(`set local role ${role}`);
          const findings = await said();
          expect(findings.filter((row) => !meant.includes(row))).toEqual([]);
          expect(findings).toHaveLength(meant.length);
          await admin.query('rollback to before');
        }
      }
    } finally {
      await admin.query('rollback');
    }
  });

  test('the view audit.findings reports unsafe settings of the server, but ignores those of the session that reads the view', async () => {
    const asker = new pg.Client({
      connectionString: database.adminUrl,
      options: '-c jit=off -c search_path=public,pg_temp -c quote_all_identifiers=on',
    });
    await asker.connect();
    try {
      expect(await said(asker)).toEqual(await said());
    } finally {
      await asker.end();
    }
  });

  test('db:audit prints the same table of rights in a database with other default formats of dates and names', async () => {
    const before = await audit(database.adminUrl);
    await withAdmin(database.adminUrl, (client) =>
      client.query(`alter database ${database.name} set quote_all_identifiers = on;
        alter database ${database.name} set datestyle = 'German'; alter database ${database.name} set bytea_output = 'escape';
        alter database ${database.name} set intervalstyle = 'sql_standard'; alter database ${database.name} set extra_float_digits = -9`),
    );
    const after = await audit(database.adminUrl);
    expect(after.out).toContain('No drift');
    expect(after.out).not.toContain('The audit itself was changed');
    expect(after.out.split('\n').filter((line) => line.startsWith('public.')).length).toBeGreaterThan(5);
    expect(after.out.split('\n').filter((line) => line.startsWith('public.'))).toEqual(
      before.out.split('\n').filter((line) => line.startsWith('public.')),
    );
  });
});
