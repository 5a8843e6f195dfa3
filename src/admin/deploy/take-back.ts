import type pg from 'pg';
import { DatabaseError } from 'pg-protocol';

/** SQLSTATEs of a `drop` that Postgres refuses: dependent_objects_still_exist and insufficient_privilege. */
const UNDROPPABLE_SQLSTATES = new Set(['2BP01', '42501']);

const isInServiceSchema = (catalog: 'pg_class' | 'pg_proc', oid: string): string =>
  `n.nspname in ('public', 'app', 'reporting', 'audit')
   and not exists (
       select from pg_depend as d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e'
   )`;

const VIEWS_QUERY = `
  select format('%s %I.%I', case c.relkind when 'v' then 'view' else 'materialized view' end, n.nspname, c.relname) as object
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind in ('v', 'm') and ${isInServiceSchema('pg_class', 'c.oid')}`;

/** SQL for the functions and procedures in the service's schemas; `version` changes if somebody replaces a function. */
const ROUTINES_QUERY = `
  select
      format('routine %I.%I(%s)', n.nspname, f.proname, pg_get_function_identity_arguments(f.oid)) as object,
      format('%s %s %s', f.oid, f.xmin, f.cmin) as version
  from pg_proc as f
  join pg_namespace as n on n.oid = f.pronamespace
  where ${isInServiceSchema('pg_proc', 'f.oid')}`;

/** SQL for those of the functions and procedures that no role of the service owns. */
const FOREIGN_ROUTINES_QUERY = `${ROUTINES_QUERY}
  and f.proowner not in ('taxclaims_owner'::regrole, 'taxclaims_definer'::regrole, 'taxclaims_housekeeper'::regrole)`;

export type UndroppedObjects = ReadonlyMap<string, string>;

export async function dropViewsAndForeignRoutines(client: pg.Client): Promise<UndroppedObjects> {
  const views = await dropObjects(client, await readObjectNames(client, VIEWS_QUERY));
  await dropObjects(client, await readObjectNames(client, FOREIGN_ROUTINES_QUERY));
  return views;
}

export async function readRoutineVersions(client: pg.Client): Promise<ReadonlySet<string | undefined>> {
  return new Set((await readObjectNames(client, ROUTINES_QUERY)).map(({ version }) => version));
}

export async function dropUndeclaredRoutines(
  client: pg.Client,
  before: Awaited<ReturnType<typeof readRoutineVersions>>,
): Promise<void> {
  const routines = await readObjectNames(client, ROUTINES_QUERY);
  const undeclared = routines.filter(({ version }) => before.has(version));
  await dropObjects(client, undeclared);
}

/** Drops views or routines in rounds until a round drops nothing, because they may depend on each other. */
async function dropObjects(client: pg.Client, objects: readonly { object: string }[]): Promise<UndroppedObjects> {
  let names = objects.map(({ object }) => object);
  for (;;) {
    const refusals = new Map<string, string>();
    for (const object of names) {
      const refusal = await tryToDrop(client, object);
      if (refusal !== undefined) refusals.set(object, refusal);
    }
    if (refusals.size === names.length) return refusals;
    names = [...refusals.keys()];
  }
}

async function tryToDrop(client: pg.Client, object: string): Promise<string | undefined> {
  await client.query('savepoint dropping');
  try {
    await client.query(`drop ${object}`);
    await client.query('release savepoint dropping');
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError) || !UNDROPPABLE_SQLSTATES.has(error.code ?? '')) throw error;
    await client.query('rollback to savepoint dropping; release savepoint dropping');
    return error.detail ?? error.message;
  }
}

async function readObjectNames(client: pg.Client, query: string) {
  return (await client.query<{ readonly object: string; readonly version?: string }>(query)).rows;
}
