import { change, type Kinds, statement } from './house.ts';

/**
 * An SQL condition that chooses a sample of Postgres’s built-in objects: one out of every `one` objects, because there
 * are thousands.
 */
const sampled = (oid: string, one: number): string => `${oid} < 16384 and ${oid}::bigint % ${String(one)} = 0`;

const row = (catalog: string, name: string, assignment: string, where: string): string => `
  select ${name} as object, '${catalog}' as covers, ${change(catalog, assignment, `'oid = ' || b.oid`)} as sql
  from ${catalog} as b where ${where}`;

const routine = (assignment: string, where = 'true'): string =>
  row('pg_proc', 'b.oid::regprocedure::text', assignment, `${sampled('b.oid', 101)} and b.prokind = 'f' and ${where}`);

const operator = (assignment: string, where: string): string =>
  row('pg_operator', 'b.oid::regoperator::text', assignment, where);
const cast = (assignment: string, where: string): string =>
  row('pg_cast', `format('%s to %s', b.castsource::regtype, b.casttarget::regtype)`, assignment, where);
const type = (assignment: string, where: string): string => row('pg_type', 'b.oid::regtype::text', assignment, where);

/**
 * A test makes each of these changes to Postgres’s built-in functions, operators and types, which policies and views
 * use. The command db:audit must report each change.
 */
export const BUILT_IN: Kinds = {
  'built-in function leakproof, or no longer': routine('proleakproof = not proleakproof'),
  'built-in function of another volatility': routine(
    `provolatile = case provolatile when 'i' then 'v' else 'i' end::"char"`,
  ),
  'built-in function with another body': routine(`prosrc = 'textlen'`, `b.prosrc <> 'textlen'`),
  'built-in function with its owner’s rights': routine('prosecdef = not prosecdef'),
  'built-in function with a setting': routine(`proconfig = '{row_security=off}'`),
  'built-in function of another owner': routine(`proowner = 'taxclaims_api'::regrole`),
  'built-in function asked about null, or not': routine('proisstrict = not proisstrict'),
  'built-in function in another language': routine(`prolang = 14`, 'b.prolang = 12'),
  'built-in operator with another function': operator(
    `oprcode = 'pg_catalog.texteq(pg_catalog.text, pg_catalog.text)'::regprocedure`,
    sampled('b.oid', 29),
  ),
  'built-in operator with another negator': operator('oprnegate = oid', sampled('b.oid', 61)),
  'built-in operator with another estimate': operator('oprrest = 0', `${sampled('b.oid', 41)} and b.oprrest <> 0`),
  'built-in cast with another function': cast(
    `castfunc = 'pg_catalog.int4(pg_catalog.int8)'::regprocedure`,
    `${sampled('b.oid', 13)} and b.castfunc <> 'pg_catalog.int4(pg_catalog.int8)'::regprocedure`,
  ),
  'built-in cast in other contexts': cast(
    `castcontext = case castcontext when 'i' then 'e' else 'i' end::"char"`,
    sampled('b.oid', 13),
  ),
  'built-in type with another input': type(
    `typinput = 'pg_catalog.charin(pg_catalog.cstring)'::regprocedure`,
    `${sampled('b.oid', 37)} and b.typtype = 'b'`,
  ),
  'built-in type of another owner': type(`typowner = 'taxclaims_api'::regrole`, sampled('b.oid', 53)),
  'built-in operator class with another default': row(
    'pg_opclass',
    `format('%s of %s', b.opcname, b.opcmethod)`,
    'opcdefault = not opcdefault',
    sampled('b.oid', 17),
  ),
  'built-in support function replaced': row(
    'pg_amproc',
    `format('%s for %s', b.amproc::regprocedure, b.amproclefttype::regtype)`,
    `amproc = 'pg_catalog.bttextcmp(pg_catalog.text, pg_catalog.text)'::regprocedure`,
    `${sampled('b.oid', 53)} and b.amproc <> 'pg_catalog.bttextcmp(pg_catalog.text, pg_catalog.text)'::regprocedure`,
  ),
  'built-in operator of a family replaced': row(
    'pg_amop',
    `format('%s for %s', b.amopopr::regoperator, b.amoplefttype::regtype)`,
    `amoppurpose = 'o', amopsortfamily = 1976`,
    `${sampled('b.oid', 97)} and b.amoppurpose = 's'`,
  ),
  'built-in aggregate with another step': `
    select b.aggfnoid::text as object, 'pg_aggregate' as covers,
        format('update pg_catalog.pg_aggregate set aggtransfn = ''pg_catalog.int8inc(pg_catalog.int8)''::regprocedure where aggfnoid = %s',
            b.aggfnoid::oid) as sql
    from pg_aggregate as b
    where ${sampled('b.aggfnoid::oid', 7)} and b.aggtransfn <> 'pg_catalog.int8inc(pg_catalog.int8)'::regprocedure`,
  'built-in view with other rows': `
    select v.relname::text as object, 'pg_class' as covers,
        format(
            'create or replace view %I.%I as select * from (%s) as q limit 0',
            v.relnamespace::regnamespace, v.relname, rtrim(pg_get_viewdef(v.oid), ';')
        ) as sql
    from pg_class as v where v.relkind = 'v' and v.relnamespace = 'pg_catalog'::regnamespace and ${sampled('v.oid', 7)}`,
  'catalog of another owner': `
    select c.oid::regclass::text as object, 'pg_class' as covers,
        format('update pg_catalog.pg_class set relowner = ''taxclaims_api''::regrole where oid = %s', c.oid) as sql
    from pg_class as c where c.relkind in ('r', 'v') and c.relnamespace = 'pg_catalog'::regnamespace and ${sampled('c.oid', 11)}`,
  'object added to the catalog': `
    select k.name as object, 'pg_class' as covers, k.sql
    from (values
        ('function', 'create function pg_catalog.added_#() returns integer language sql return 1'),
        ('overloaded function', 'create function pg_catalog.current_setting(name) returns text language sql return null'),
        ('function of the information schema', 'create function information_schema.added_#() returns integer language sql return 1'),
        ('view of the information schema', 'create view information_schema.added_# as select 1 as a'),
        ('type', 'create type pg_catalog.added_# as enum ()'),
        ('operator', 'create operator pg_catalog.### (function = pg_catalog.int4pl, leftarg = integer, rightarg = integer)')
    ) as k (name, sql)`,
  'schema of the catalog of another owner': `
    select n.nspname::text as object, 'pg_namespace' as covers, ${statement('alter schema %I owner to taxclaims_api', 'n.nspname')} as sql
    from pg_namespace as n where n.nspname in ('pg_catalog', 'information_schema')`,
};
