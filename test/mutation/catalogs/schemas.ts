import { ASIDE, HOUSE, type Kinds, label, literal, otherOwner, statement } from './house.ts';

const schema = (sql: string): string => `
  select n.nspname::text as object, 'pg_namespace ' || n.oid as covers, ${sql} as sql
  from pg_namespace as n where n.oid in ${HOUSE}`;

/** For each kind of database object, SQL that creates such an object in the schema `%1$I`. */
const NEW_OBJECTS: Readonly<Record<string, string>> = {
  table: 'create table %1$I.added_# (a integer)',
  'unlogged table': 'create unlogged table %1$I.added_# (a integer)',
  'partitioned table': 'create table %1$I.added_# (a integer) partition by list (a)',
  view: 'create view %1$I.added_# as select 1 as a',
  'materialized view': 'create materialized view %1$I.added_# as select 1 as a',
  'foreign table':
    'create foreign data wrapper added_#; create server added_# foreign data wrapper added_#;' +
    ' create foreign table %1$I.added_# (a integer) server added_#',
  sequence: 'create sequence %1$I.added_#',
  function: 'create function %1$I.added_#() returns integer language sql return 1',
  procedure: 'create procedure %1$I.added_#() language sql as $$select 1$$',
  aggregate: 'create aggregate %1$I.added_# (integer) (sfunc = pg_catalog.int4pl, stype = integer)',
  'window function': "create function %1$I.added_#() returns bigint language internal window as 'window_row_number'",
  'trigger function': 'create function %1$I.added_#() returns trigger language plpgsql as $$begin return null; end$$',
  enumeration: "create type %1$I.added_# as enum ('a')",
  'composite type': 'create type %1$I.added_# as (a integer)',
  'type that is not finished': 'create type %1$I.added_#',
  domain: 'create domain %1$I.added_# as integer',
  range: 'create type %1$I.added_# as range (subtype = integer)',
  collation: 'create collation %1$I.added_# from pg_catalog."C"',
  conversion: "create conversion %1$I.added_# for 'LATIN1' to 'UTF8' from pg_catalog.iso8859_1_to_utf8",
  operator: 'create operator %1$I.### (function = pg_catalog.int4pl, leftarg = integer, rightarg = integer)',
  'operator class':
    'create operator class %1$I.added_# for type integer using hash as operator 1 pg_catalog.=,' +
    ' function 1 pg_catalog.hashint4(integer)',
  'operator family': 'create operator family %1$I.added_# using btree',
  'text search configuration': 'create text search configuration %1$I.added_# (copy = pg_catalog.english)',
  'text search dictionary': 'create text search dictionary %1$I.added_# (template = pg_catalog.simple)',
  'text search parser':
    'create text search parser %1$I.added_# (start = pg_catalog.prsd_start, gettoken = pg_catalog.prsd_nexttoken,' +
    ' end = pg_catalog.prsd_end, lextypes = pg_catalog.prsd_lextype)',
  'text search template':
    'create text search template %1$I.added_# (init = pg_catalog.dsimple_init, lexize = pg_catalog.dsimple_lexize)',
  extension: 'create extension pg_trgm schema %1$I',
};

/**
 * A test makes each of these changes to the service’s schemas, and creates new objects in these schemas. The command
 * db:audit must report each change.
 */
export const SCHEMAS: Kinds = {
  'schema of another owner': schema(statement('alter schema %I owner to %s', 'n.nspname', otherOwner('n.nspowner'))),
  'schema renamed': schema(statement('alter schema %I rename to renamed_#', 'n.nspname')),
  'schema published': schema(statement('create publication added_# for tables in schema %I', 'n.nspname')),
  'security label added to a schema': schema(label('pg_namespace', 'n.oid')),
  ...Object.fromEntries(
    Object.entries(NEW_OBJECTS).map(([what, sql]) => [
      `${what} in a schema`,
      `select n.nspname::text as object, 'pg_namespace ' || n.oid as covers, format(${literal(sql)}, n.nspname) as sql
       from pg_namespace as n where n.oid in ${HOUSE}
           and (${literal(what)} <> 'extension' or exists (select from pg_available_extensions where name = 'pg_trgm'))`,
    ]),
  ),
  'schema for what belongs to the house': `
    select r.rolname::text as object, 'pg_authid ' || r.oid as covers,
        format('${ASIDE} authorization %I', r.rolname) as sql
    from pg_roles as r where r.rolname in ('taxclaims_owner', 'taxclaims_definer', 'taxclaims_api')`,
};
