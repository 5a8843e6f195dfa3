import { expect, test } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, withAdmin } from '../../support/database.ts';

/**
 * The health check runs this query, which compares the present functions and triggers with those of the last deploy.
 */
const GUARDS_CHANGED = `
  select object, g.digest
  from app.digest_functions_and_triggers() as g
  full join jsonb_each_text(app.read_deployed_digests()) as d (object, digest) using (object)
  where g.digest is distinct from d.digest`;

/**
 * A query that returns SQL, by which views, functions, checks, policies, defaults and indexes are recreated from the
 * texts that pg_dump would write.
 */
const PRINTED = `
  select n.nspname, 1 as step, format('create or replace view %s%s as %s', c.oid::regclass,
      ' with (' || array_to_string(c.reloptions, ', ') || ')', pg_get_viewdef(c.oid)) as statement
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace where c.relkind = 'v'
  union all
  select n.nspname, 2, pg_get_functiondef(f.oid)
  from pg_proc as f join pg_namespace as n on n.oid = f.pronamespace where f.prokind in ('f', 'p')
  union all
  select n.nspname, 3, format('alter table %s drop constraint %I, add constraint %2$I %s', c.conrelid::regclass, c.conname,
      pg_get_constraintdef(c.oid))
  from pg_constraint as c join pg_namespace as n on n.oid = c.connamespace where c.contype = 'c' and c.conrelid <> 0
  union all
  select n.nspname, 4, format('alter policy %I on %s %s %s', p.polname, p.polrelid::regclass,
      'using (' || pg_get_expr(p.polqual, p.polrelid) || ')',
      'with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')
  from pg_policy as p join pg_class as c on c.oid = p.polrelid join pg_namespace as n on n.oid = c.relnamespace
  union all
  select n.nspname, 5, format('alter table %s alter column %I set default %s', d.adrelid::regclass, a.attname,
      pg_get_expr(d.adbin, d.adrelid))
  from pg_attrdef as d
  join pg_attribute as a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attgenerated = ''
  join pg_class as c on c.oid = d.adrelid join pg_namespace as n on n.oid = c.relnamespace
  union all
  select n.nspname, 6, format('drop index %s; %s', i.indexrelid::regclass, pg_get_indexdef(i.indexrelid))
  from pg_index as i join pg_class as c on c.oid = i.indexrelid join pg_namespace as n on n.oid = c.relnamespace
  where not exists (select from pg_constraint as k where k.conindid = i.indexrelid)
      -- The index of a partitioned table is left out, because a dump attaches the indexes of its partitions one by one.
      and c.relkind = 'i' and not c.relispartition
  union all
  select n.nspname, 7, format('drop trigger %I on %s; %s', t.tgname, t.tgrelid::regclass, pg_get_triggerdef(t.oid))
      || case t.tgenabled when 'A' then format('; alter table %s enable always trigger %I', t.tgrelid::regclass, t.tgname) else '' end
  from pg_trigger as t join pg_class as c on c.oid = t.tgrelid join pg_namespace as n on n.oid = c.relnamespace
  where not t.tgisinternal`;

/**
 * Recreates objects as pg_restore does. The embedded server has no pg_dump; test/deploy/pages.deploy.ts dumps and restores
 * a database with Debian's programs.
 */
async function parseAnew(admin: pg.Client): Promise<void> {
  await admin.query(`begin; set local search_path = ''; set local check_function_bodies = off`);
  const { rows } = await admin.query<{ statement: string }>(
    `select p.statement from (${PRINTED}) as p
     where p.nspname in ('public', 'app', 'reporting', 'audit') order by p.step, p.statement`,
  );
  for (const { statement } of rows) await admin.query(statement);
  await admin.query('commit');
}

test('in a database whose objects were recreated from Postgres’s texts, the view audit.drift lists no changed object, until a DBA drops a constraint', async () => {
  const database = await createTestDatabase();
  try {
    await withAdmin(database.adminUrl, async (admin) => {
      await parseAnew(admin);
      expect((await admin.query('table audit.drift')).rows).toEqual([]);
      expect((await admin.query(GUARDS_CHANGED)).rows).toEqual([]);
      await admin.query('alter table public.factures drop constraint factures_status_known');
      expect((await admin.query('select kind, change, object from audit.drift')).rows).toEqual([
        { kind: 'constraint', change: 'removed', object: 'factures_status_known on public.factures' },
      ]);
    });
  } finally {
    await database.close();
  }
});
