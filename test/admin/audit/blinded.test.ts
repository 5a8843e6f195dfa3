import { describe, expect, test } from '@jest/globals';
import { sampledByDay } from '../../support/day.ts';
import { withAdmin } from '../../support/database.ts';
import { durabilityFindings } from '../../support/durability.ts';
import { forSuite } from '../../support/suite.ts';
import { openAuditedWorld } from './auditor.ts';
import { audit } from '../command.ts';

/**
 * SQL that creates a trigger which the audit must report. Each test then manipulates the audit so that the audit omits
 * the trigger.
 */
const BREAK = `
  create function public.copy() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger copy after insert on public.reclamations for each row execute function public.copy();`;

/**
 * SQL that manipulates one function or view of the audit, so that it no longer reports a trigger which an attacker
 * added.
 */
const REPLACED = {
  state: `do $$ begin execute replace(pg_get_functiondef('audit.state()'::regprocedure),
    'group by e.kind, e.object', 'where e.object !~ ''copy'' group by e.kind, e.object'); end $$;`,
  rows: `do $$ begin execute replace(pg_get_functiondef('audit.catalog_rows()'::regprocedure),
    'where j.objid is not null', 'where j.objid is not null and f.content ->> ''tgname'' is distinct from ''copy'' and f.content ->> ''proname'' is distinct from ''copy'''); end $$;`,
  columns: `do $$ begin execute replace(pg_get_functiondef('audit.catalog_columns()'::regprocedure),
    $a$'{conparentid,tgparentid}'$a$, $b$'{conparentid,tgfoid}'$b$); end $$;`,
  drift: `create or replace view audit.drift with (security_invoker) as
    select kind, object, ''::text as change, definition as applied, definition as present from audit.applied where false`,
  findings: `create or replace view audit.findings with (security_invoker) as
    select ''::text as level, ''::text as finding, ''::text as object, ''::text as detail, ''::text as remedy, ''::text as who where false`,
  exceptions: `create or replace view audit.exceptions with (security_invoker) as
    select ''::text as finding, ''::text as object, ''::text as reason where false`,
  applied: `insert into audit.applied select * from audit.state() on conflict (kind, object) do update set definition = excluded.definition`,
} as const;

const CHANGES = [
  ['audit.state() omits a trigger', REPLACED.state, '  function body audit.state()'],
  ['audit.catalog_rows() omits a trigger', REPLACED.rows, '  function body audit.catalog_rows()'],
  ['audit.catalog_columns() omits a column', REPLACED.columns, '  function body audit.catalog_columns()'],
  ['audit.drift is empty', REPLACED.drift, '  view body audit.drift'],
  ['audit.findings is empty', REPLACED.findings, '  view body audit.findings'],
  ['audit.exceptions is empty', REPLACED.exceptions, '  view body audit.exceptions'],
  ['a superuser changed audit.applied', REPLACED.applied, '  audit.applied differs from db/audit/declared in 4 facts'],
] as const;

const world = await forSuite(openAuditedWorld());

describe('npm run db:audit on a database whose audit was changed, as an auditor', () => {
  test.each(sampledByDay(CHANGES))(
    'db:audit warns that the audit itself was manipulated if %s',
    async (_what, blind, line) => {
      await withAdmin(world.adminUrl, async (admin) => {
        const before = await admin.query<{ statement: string }>(MEND);
        const applied = await admin.query('table audit.applied');
        await admin.query(BREAK);
        await admin.query(blind);
        try {
          const { code, out } = await audit(world.auditorUrl);
          expect(code).toBe(1);
          expect(out).toContain('The audit itself was changed');
          expect(out.split('\n')).toContain(line);
          expect(out).toContain('added trigger: copy on public.reclamations');
        } finally {
          await admin.query('drop function public.copy() cascade');
          for (const { statement } of before.rows) await admin.query(statement);
          await admin.query('delete from audit.applied');
          await admin.query(
            'insert into audit.applied select * from jsonb_populate_recordset(null::audit.applied, $1)',
            [JSON.stringify(applied.rows)],
          );
        }
      });
    },
  );

  test('db:audit reports a manipulated view of the audit even if a DBA accepted the change', async () => {
    await withAdmin(world.adminUrl, async (admin) => {
      const before = await admin.query<{ statement: string }>(MEND);
      await admin.query(REPLACED.findings);
      try {
        await admin.query(`select audit.accept(d.kind, d.object, 'we want to see less') from audit.drift as d`);
        const { code, out } = await audit(world.auditorUrl);
        expect(code).toBe(1);
        expect(out).toContain('No drift');
        expect(out.split('\n')).toContain('  view body audit.findings');
      } finally {
        for (const { statement } of before.rows) await admin.query(statement);
        await admin.query('select audit.withdraw(a.what, a.object) from audit.accepted as a');
      }
    });
  });

  test('after the audit’s functions and views are restored, db:audit no longer warns that the audit was manipulated', async () => {
    const well = (await withAdmin(world.adminUrl, durabilityFindings)).length === 0 ? 0 : 1;
    const { code, out, err } = await audit(world.auditorUrl);
    expect([code, err]).toEqual([well, '']);
    expect(out).toContain('No drift');
    expect(out).not.toContain('The audit itself was changed');
  });
});

/**
 * A query that returns SQL, by which the functions and views of the audit are restored after a test has manipulated
 * them.
 */
const MEND = `
  select pg_get_functiondef(f.oid) as statement
  from pg_proc as f
  where f.oid in ('audit.state()'::regprocedure, 'audit.catalog_rows()'::regprocedure, 'audit.catalog_columns()'::regprocedure)
  union all
  select format('create or replace view %s with (security_invoker) as %s', v::regclass, pg_get_viewdef(v::regclass))
  from unnest(array['audit.drift', 'audit.findings', 'audit.exceptions']) as v`;
