import { ASIDE, change, HOUSE, type Kinds, label, otherOwner, statement } from './house.ts';

const routine = (sql: string, where = 'true'): string => `
  select f.oid::regprocedure::text as object, 'pg_proc ' || f.oid as covers, ${sql} as sql
  from pg_proc as f
  join pg_language as l on l.oid = f.prolang
  where f.pronamespace in ${HOUSE} and f.prokind in ('f', 'p') and ${where}`;

const NAME = 'f.oid::regprocedure';
const altered = (what: string, where?: string): string => routine(statement(`alter routine %s ${what}`, NAME), where);
const changed = (assignment: string, where?: string): string =>
  routine(change('pg_proc', assignment, `'oid = ' || f.oid`), where);

/** The SQL that defines a Postgres function, without the function’s body. */
const HEAD = String.raw`regexp_replace(pg_get_functiondef(f.oid), '^(.*?)\n(AS \$|RETURN |BEGIN ATOMIC).*$', '\1')`;

const VOID = `f.prorettype = 'void'::regtype`;
const OUT = 'f.proargmodes is not null';

/** A test gives this body to a function of the service. The function then returns no row, or null. */
const NOTHING = `case
    when l.lanname = 'plpgsql' then case
        when f.proretset then 'begin return; end'
        when ${VOID} or ${OUT} then 'begin end'
        else 'begin return null; end'
    end
    when ${VOID} then 'select null::void'
    when f.proretset and ${OUT} then format('select * from (select %s) as q limit 0', (
        select string_agg('null::' || format_type(t.type, null), ', ' order by t.position)
        from unnest(f.proallargtypes, f.proargmodes) with ordinality as t (type, mode, position)
        where t.mode in ('o', 'b', 't')
    ))
    when f.proretset then format('select null::%s limit 0', format_type(f.prorettype, null))
    else format('select null::%s', format_type(f.prorettype, null))
end`;

/**
 * A test makes each of these changes to every function of the service. The command db:audit must report each change.
 */
export const FUNCTIONS: Kinds = {
  'function dropped': routine(statement('drop routine %s cascade', NAME)),
  'function renamed': altered('rename to renamed_#'),
  'function in another schema': routine(statement(`${ASIDE}; alter routine %s set schema aside_#`, NAME)),
  'function of another owner': routine(statement('alter routine %s owner to %s', NAME, otherOwner('f.proowner'))),
  'function of a superuser': routine(change('pg_proc', 'proowner = 10', `'oid = ' || f.oid`), 'f.proowner <> 10'),
  'function that does nothing': routine(`format('%s as $mutant$%s$mutant$', ${HEAD}, ${NOTHING})`),
  'function that does the same and more': changed(
    `prosrc = pg_catalog.regexp_replace(prosrc, '(end;?\\s*)$', ' perform pg_catalog.pg_notify(''added'', ''''); \\1')`,
    `l.lanname = 'plpgsql'`,
  ),
  'function with another’s body': changed(
    `prosqlbody = (
        select other.prosqlbody from pg_catalog.pg_proc as other
        where other.prosqlbody is not null and other.oid > 16384 and other.prosqlbody::text <> pg_proc.prosqlbody::text
        order by other.oid limit 1
    )`,
    'f.prosqlbody is not null',
  ),
  'function in another language': changed(
    `prolang = (select n.oid from pg_catalog.pg_language as n where n.lanname = case
        when (select o.lanname from pg_catalog.pg_language as o where o.oid = prolang) = 'sql' then 'plpgsql' else 'sql' end)`,
  ),
  'function immutable': altered('immutable', `f.provolatile <> 'i'`),
  'function stable': altered('stable', `f.provolatile <> 's'`),
  'function volatile': altered('volatile', `f.provolatile <> 'v'`),
  'function leakproof': altered('leakproof', 'not f.proleakproof'),
  'function with its owner’s rights': altered('security definer', 'not f.prosecdef'),
  'function with its caller’s rights': altered('security invoker', 'f.prosecdef'),
  'function parallel safe': altered('parallel safe', `f.proparallel <> 's'`),
  'function parallel restricted': altered('parallel restricted', `f.proparallel <> 'r'`),
  'function parallel unsafe': altered('parallel unsafe', `f.proparallel <> 'u'`),
  'function not asked about null': altered('strict', 'not f.proisstrict'),
  'function asked about null': altered('called on null input', 'f.proisstrict'),
  'function with another cost': altered('cost 12345', 'f.procost <> 12345'),
  'function with other rows': altered('rows 12345', 'f.proretset and f.prorows <> 12345'),
  'function with planner support': altered('support pg_catalog.textlike_support'),
  'function without a setting': `
    select format('%s of %s', split_part(s.setting, '=', 1), f.oid::regprocedure) as object, 'pg_proc ' || f.oid as covers,
        format('alter routine %s reset %I', f.oid::regprocedure, split_part(s.setting, '=', 1)) as sql
    from pg_proc as f cross join lateral unnest(f.proconfig) as s (setting)
    where f.pronamespace in ${HOUSE}`,
  'function with another path': altered('set search_path = public, pg_temp'),
  'function without row-level security': altered('set row_security = off'),
  'function that does not fire triggers': altered('set session_replication_role = replica'),
  'function with a setting of the application': altered(`set app.client_access = '{}'`),
  'function with a harmless setting': altered(`set work_mem = '5MB'`),
  'function with other names of arguments': changed(
    `proargnames = array(select coalesce(nullif(n, ''), 'unnamed') || '_' from unnest(proargnames) with ordinality as u (n, i) order by i)`,
    'f.proargnames is not null',
  ),
  'function without its defaults': changed('pronargdefaults = 0, proargdefaults = null', 'f.pronargdefaults > 0'),
  'function with a transform': changed(`protrftypes = array['text'::regtype::oid]`),
  'function overloaded': routine(
    `format('create function %s.%I(%s) returns text language sql return null', f.pronamespace::regnamespace, f.proname,
        concat_ws(', ', nullif(oidvectortypes(f.proargtypes), ''), 'pg_catalog.macaddr'))`,
    `f.prokind = 'f'`,
  ),
  'security label added to a function': routine(label('pg_proc', 'f.oid')),
};
