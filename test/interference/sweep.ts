import { ATTEMPTS } from './compare.ts';
import type { Opened } from './round.ts';
import { take } from './step.ts';
import type { World } from './world.ts';

/*
 * Finds the relations and functions of Postgres by which a BI login learns something about the rows of other tenants.
 */

interface Question {
  /** The name of a relation or function of Postgres, which is queried in both compared databases. */
  readonly name: string;
  readonly sql: string;
}

const RELATIONS = `
select c.relname as name, format('select v from %s as v order by v::text', c.oid::regclass) as sql
from pg_class as c
where c.relnamespace in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    and c.relkind in ('r', 'v')
    and has_table_privilege('taxclaims_reporting', c.oid, 'SELECT')`;

/** Functions of Postgres that take no argument, or the oid of a table, an index or the database. */
const FUNCTIONS = `
select p.proname as name, format(
    case when p.proretset then 'select v from %I(%s) as v order by v::text' else 'select %I(%s)::text' end,
    p.proname, a.value
) as sql
from pg_proc as p
join (
    values
        ('', ''),
        ('oid', $$(select oid from pg_class where relname = 'reclamations' and relkind = 'r')$$),
        ('oid', $$(select oid from pg_class where relname = 'reclamations_client_id_idx')$$),
        ('oid', '(select oid from pg_database where datname = current_database())'),
        ('regclass', $$(select oid::regclass from pg_class where relname = 'reclamations' and relkind = 'r')$$),
        ('regclass', $$(select oid::regclass from pg_class where relname = 'reclamations_client_id_idx')$$)
) as a (type, value) on a.type = pg_get_function_identity_arguments(p.oid)
where p.pronamespace = 'pg_catalog'::regnamespace
    and p.prokind = 'f'
    and p.provolatile <> 'i'
    and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype, 'void'::regtype)
    and (a.value !~ 'pg_database' or p.proname ~ '^pg_(stat_get_db|database)')
    and has_function_privilege('taxclaims_reporting', p.oid, 'EXECUTE')`;

/** Returns the relations and functions of Postgres that answer differently in two databases with different tenants. */
export async function differingInPostgres({ worlds }: Opened, oneIn = 1): Promise<{ asked: number; names: string[] }> {
  const [first, last] = [worlds[0], worlds.at(-1)];
  if (first === undefined || last === undefined) return { asked: 0, names: [] };
  const rows = await first.admin(`${RELATIONS} union all ${FUNCTIONS} order by 1, 2`);
  const questions = (rows as unknown as Question[]).filter((_, index) => index % oneIn === 0);
  const names = new Set<string>();
  for (const { name, sql } of questions) {
    const answerOf = async (world: World): Promise<string> =>
      (await take(world, { login: 'reporting', sql }, 'sweep')).text.replaceAll(/<(time|tag|id) \d+>/g, '<$1>');
    let isAlike = (await answerOf(first)) === (await answerOf(last));
    for (let attempt = 1; attempt < ATTEMPTS && !isAlike; attempt += 1)
      isAlike = (await answerOf(first)) === (await answerOf(last));
    if (!isAlike) names.add(name);
  }
  return { asked: questions.length, names: [...names] };
}
