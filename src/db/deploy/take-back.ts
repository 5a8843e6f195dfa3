import type pg from 'pg';
import { DatabaseError } from 'pg-protocol';

/** dependent_objects_still_exist, insufficient_privilege: the object stays. */
const LEFT = new Set(['2BP01', '42501']);

const ofHouse = (catalog: 'pg_class' | 'pg_proc', oid: string): string =>
  `n.nspname in ('public', 'app', 'reporting', 'audit')
   and not exists (
       select from pg_depend as d where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e'
   )`;
const ROUTINE = `format('routine %I.%I(%s)', n.nspname, f.proname, pg_get_function_identity_arguments(f.oid))`;

const VIEWS = `
  select format('%s %I.%I', case c.relkind when 'v' then 'view' else 'materialized view' end, n.nspname, c.relname) as object
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind in ('v', 'm') and ${ofHouse('pg_class', 'c.oid')}`;

/** The routines of the house's schemas that belong to no role of the house. */
const FOREIGN_ROUTINES = `
  select ${ROUTINE} as object
  from pg_proc as f
  join pg_namespace as n on n.oid = f.pronamespace
  where f.proowner not in ('taxclaims_owner'::regrole, 'taxclaims_definer'::regrole, 'taxclaims_housekeeper'::regrole)
      and ${ofHouse('pg_proc', 'f.oid')}`;

/** `version` changes when a routine is made anew. */
const ROUTINES = `
  select ${ROUTINE} as object, format('%s %s %s', f.oid, f.xmin, f.cmin) as version
  from pg_proc as f
  join pg_namespace as n on n.oid = f.pronamespace
  where ${ofHouse('pg_proc', 'f.oid')}`;

export type Kept = ReadonlyMap<string, string>;

/** Drops the house's views, and other roles' routines in its schemas, as the administrator, unless something depends on them. */
export async function dropBeforeFiles(client: pg.Client): Promise<Kept> {
  const views = await dropEach(client, await objectsOf(client, VIEWS));
  await dropEach(client, await objectsOf(client, FOREIGN_ROUTINES));
  return views;
}

export async function readVersions(client: pg.Client): Promise<ReadonlySet<string | undefined>> {
  return new Set((await objectsOf(client, ROUTINES)).map(({ version }) => version));
}

/** Drops the routines that no file has made anew since: nobody declares them. */
export async function dropUnmade(
  client: pg.Client,
  before: Awaited<ReturnType<typeof readVersions>>,
): Promise<void> {
  const routines = await objectsOf(client, ROUTINES);
  await dropEach(
    client,
    routines.filter(({ version }) => before.has(version)),
  );
}

/** Again and again, as long as one of them was in the way of another. */
async function dropEach(client: pg.Client, objects: readonly { object: string }[]): Promise<Kept> {
  let left = objects.map(({ object }) => object);
  for (;;) {
    const kept = new Map<string, string>();
    for (const object of left) {
      const refusal = await tryToDrop(client, object);
      if (refusal !== undefined) kept.set(object, refusal);
    }
    if (kept.size === left.length) return kept;
    left = [...kept.keys()];
  }
}

async function tryToDrop(client: pg.Client, object: string): Promise<string | undefined> {
  await client.query('savepoint dropping');
  try {
    await client.query(`drop ${object}`);
    await client.query('release savepoint dropping');
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError) || !LEFT.has(error.code ?? '')) throw error;
    await client.query('rollback to savepoint dropping; release savepoint dropping');
    return error.detail ?? error.message;
  }
}

interface Named {
  readonly object: string;
  readonly version?: string;
}

async function objectsOf(client: pg.Client, query: string): Promise<readonly Named[]> {
  return (await client.query<Named>(query)).rows;
}
