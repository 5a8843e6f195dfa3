import { execFile } from 'node:child_process';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { asDatabase, type TestDatabase, withAdmin } from '../../support/database.ts';
import { createScratchFolder } from '../../support/scratch.ts';

const run = promisify(execFile);

/**
 * Dumps a database with pg_dump and restores the dump. The embedded server has no pg_dump. If no pg_dump as new as the
 * server is installed, the function instead recreates every view, policy and default from the text that Postgres prints
 * for them.
 */
export async function restore(database: TestDatabase): Promise<void> {
  const release = await withAdmin(database.adminUrl, async (admin) => {
    const { rows } = await admin.query<{ release: number }>(
      `select current_setting('server_version_num')::integer / 10000 as release`,
    );
    return rows[0]?.release ?? 0;
  });
  const folder = await toolsOf(release);
  if (folder === undefined) await withAdmin(database.adminUrl, parseAnew);
  else await dumpAndRestore(database, folder);
}

async function dumpAndRestore({ name, adminUrl }: TestDatabase, tools: string): Promise<void> {
  const scratch = await createScratchFolder();
  const dump = join(scratch, 'dump');
  const maintenance = asDatabase(adminUrl, 'postgres');
  await run(join(tools, 'pg_dump'), [`--dbname=${adminUrl}`, '--format=custom', '--create', `--file=${dump}`]);
  await withAdmin(maintenance, (admin) => admin.query(`drop database ${name} with (force)`));
  await run(join(tools, 'pg_restore'), [`--dbname=${maintenance}`, '--create', '--exit-on-error', dump]);
  await rm(scratch, { recursive: true });
}

/** Returns the folder of an installed pg_dump that is at least as new as the Postgres server. */
async function toolsOf(release: number): Promise<string | undefined> {
  const installed = '/usr/lib/postgresql';
  const releases = await readdir(installed).catch(() => []);
  const folders = [...releases.map((one) => join(installed, one, 'bin')), ...(process.env['PATH'] ?? '').split(':')];
  for (const folder of folders) {
    const said = await run(join(folder, 'pg_dump'), ['--version']).catch(() => undefined);
    const [, version] = /PostgreSQL\) (\d+)/.exec(said?.stdout ?? '') ?? [];
    if (Number(version) >= release) return folder;
  }
  return undefined;
}

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

async function parseAnew(admin: pg.Client): Promise<void> {
  await admin.query(`begin; set local search_path = ''; set local check_function_bodies = off`);
  const { rows } = await admin.query<{ statement: string }>(
    `select p.statement from (${PRINTED}) as p
     where p.nspname in ('public', 'app', 'reporting', 'audit') order by p.step, p.statement`,
  );
  for (const { statement } of rows) await admin.query(statement);
  await admin.query('commit');
}
