import { change, IS_HOUSE_ROLE, type Kinds, literal, sharedLabel, statement } from './house.ts';

const made = (covers: string, objects: Readonly<Record<string, string>>): string =>
  Object.entries(objects)
    .map(([object, sql]) => `select ${literal(object)} as object, '${covers}' as covers, ${literal(sql)} as sql`)
    .join(' union all ');

const database = (sql: string): string => `
  select 'the database' as object, 'pg_database ' || d.oid as covers, ${sql} as sql
  from pg_database as d where d.datname = current_database()`;

const extension = (assignment: string): string => `
  select x.extname::text as object, 'pg_extension ' || x.oid as covers,
      ${change('pg_extension', assignment, `'oid = ' || x.oid`)} as sql
  from pg_extension as x`;

const FUNCTION = 'create schema aside_#; create function aside_#.added';

/**
 * A test makes each of these changes outside the service’s schemas and roles, where a change can still affect the
 * service. The command db:audit must report each change.
 */
export const SURROUNDINGS: Kinds = {
  'database of another owner': database(statement('alter database %I owner to taxclaims_owner', 'd.datname')),
  'database with a limit of connections': database(statement('alter database %I connection limit 3', 'd.datname')),
  'database that is a template': database(statement('alter database %I is_template true', 'd.datname')),
  'database that lets nobody in': database(
    statement('update pg_catalog.pg_database set datallowconn = false where oid = %s', 'd.oid'),
  ),
  'security label added to the database': database(sharedLabel('pg_database', 'd.oid')),
  'database of another locale': database(
    statement(`update pg_catalog.pg_database set datcollate = 'made up' where oid = %s`, 'd.oid'),
  ),
  'database of another classification of letters': database(
    statement(`update pg_catalog.pg_database set datctype = 'made up' where oid = %s`, 'd.oid'),
  ),
  'database of another encoding': database(
    statement(`update pg_catalog.pg_database set encoding = 8 where oid = %s`, 'd.oid'),
  ),
  'publication added': made('pg_publication', {
    'for all tables': 'create publication added_# for all tables',
    empty: 'create publication added_#',
  }),
  'subscription added': made('pg_subscription', {
    'without connection':
      "create subscription added_# connection 'host=made.up' publication added_# with (connect = false, slot_name = none)",
  }),
  'event trigger added': `
    select e.event as object, 'pg_event_trigger' as covers,
        format('${FUNCTION}() returns event_trigger language plpgsql as $$begin end$$;'
            ' create event trigger added_# on %s execute function aside_#.added()', e.event) as sql
    from (values ('ddl_command_start'), ('ddl_command_end'), ('sql_drop'), ('table_rewrite'), ('login')) as e (event)
    where e.event <> 'login' or current_setting('server_version_num')::integer >= 170000`,
  'extension added': `
    select x.name::text as object, 'pg_extension' as covers,
        format('create schema aside_#; create extension %I schema aside_# cascade', x.name) as sql
    from pg_available_extensions as x
    where x.name in ('dblink', 'postgres_fdw', 'file_fdw', 'adminpack', 'lo', 'pageinspect', 'xml2', 'insert_username')
        and x.installed_version is null`,
  'extension removed': `
    select x.extname::text as object, 'pg_extension ' || x.oid as covers, format('drop extension %I cascade', x.extname) as sql
    from pg_extension as x`,
  'extension of another version': extension("extversion = '0'"),
  'extension in another schema': extension("extnamespace = 'public'::regnamespace"),
  'extension of another owner': extension("extowner = 'taxclaims_api'::regrole"),
  'extension renamed': extension("extname = 'renamed_#'"),
  'language changed': `
    select format('%s: %s', l.lanname, a.name) as object, 'pg_language ' || l.oid as covers,
        format('update pg_catalog.pg_language set %s where oid = %s', a.assignment, l.oid) as sql
    from pg_language as l
    cross join (
        values ('owner', 'lanowner = ''taxclaims_api''::regrole'), ('trust', 'lanpltrusted = not lanpltrusted'),
            ('handler', 'lanplcallfoid = 0'), ('inline handler', 'laninline = 0'), ('validator', 'lanvalidator = 0'),
            ('rights', 'lanacl = array[pg_catalog.makeaclitem(''taxclaims_api''::regrole, 10, ''USAGE'', true)]')
    ) as a (name, assignment)
    where (a.name <> 'handler' or l.lanplcallfoid <> 0) and (a.name <> 'inline handler' or l.laninline <> 0)
        and l.lanname in ('plpgsql', 'c', 'internal')`,
  'cast added': made('pg_cast', { 'of texts to numbers': 'create cast (text as integer) with inout as implicit' }),
  'operator added beside the house': made('pg_operator', {
    'equality of any kind':
      `${FUNCTION}(uuid, uuid) returns boolean language sql immutable leakproof return true;` +
      ' create operator aside_#.= (function = aside_#.added, leftarg = uuid, rightarg = uuid)',
  }),
  'operator class added beside the house': made('pg_opclass', {
    'the default of a new type':
      "create schema aside_#; create type aside_#.made as enum ('a');" +
      ' create operator class aside_#.added default for type aside_#.made using hash as function 1 pg_catalog.hashenum(anyenum)',
  }),
  'transform added': made('pg_transform', {
    'of texts':
      `${FUNCTION}(internal) returns internal language internal immutable strict as 'prsd_lextype';` +
      ' create transform for xml language sql (from sql with function aside_#.added(internal))',
  }),
  'access method added': made('pg_am', {
    'of tables': 'create access method added_# type table handler pg_catalog.heap_tableam_handler',
  }),
  'language added': made('pg_language', {
    'with the handler of another': 'create language added_# handler pg_catalog.plpgsql_call_handler',
  }),
  'foreign data wrapper added': made('pg_foreign_data_wrapper', {
    granted: 'create foreign data wrapper added_#; grant usage on foreign data wrapper added_# to taxclaims_reporting',
  }),
  'foreign server added': made('pg_foreign_server', {
    'of a wrapper': 'create foreign data wrapper added_#; create server added_# foreign data wrapper added_#',
  }),
  'user mapping added': made('pg_user_mapping', {
    'for everybody':
      'create foreign data wrapper added_#; create server added_# foreign data wrapper added_#;' +
      ' create user mapping for public server added_#',
  }),
  'copy of a table within reach': made('pg_class', {
    'beside the house':
      'create schema aside_#; grant usage on schema aside_# to public;' +
      ' create materialized view aside_#.copy as table public.reclamations; grant select on aside_#.copy to public',
  }),
  'view beside the house': made('pg_class', {
    'that reads as its owner':
      'create schema aside_#; grant usage on schema aside_# to public;' +
      ' create view aside_#.reading as table public.reclamations; grant select on aside_#.reading to public',
  }),
  'function beside the house': made('pg_proc', {
    'that reads as a superuser':
      'create schema aside_#; grant usage on schema aside_# to public;' +
      ' create function aside_#.reading() returns setof public.reclamations language sql security definer' +
      ' begin atomic table public.reclamations; end',
  }),
  'large object added': made('pg_largeobject_metadata', {
    'for everybody': "select pg_catalog.lo_from_bytea(4711, 'made up'); grant select on large object 4711 to public",
  }),
  'initial right changed': made('pg_init_privs', {
    'of the passwords': 'grant select on pg_catalog.pg_authid to taxclaims_auditor',
    'of statistics': 'grant select on pg_catalog.pg_statistic to public',
    'of large objects': 'grant execute on function pg_catalog.lo_import(text) to public',
    'of files': 'grant execute on function pg_catalog.pg_read_file(text) to taxclaims_reporting',
    'of the settings': 'revoke select on pg_catalog.pg_settings from public',
    'of the catalog': 'grant create on schema pg_catalog to taxclaims_owner',
  }),
  'initial right forged': made('pg_init_privs', {
    'of files':
      'grant execute on function pg_catalog.pg_read_file(text) to public;' +
      ' update pg_catalog.pg_init_privs set initprivs = (select proacl from pg_catalog.pg_proc where oid = objoid)' +
      " where objoid = 'pg_catalog.pg_read_file(text)'::regprocedure",
  }),
  'policy of which pg_depend knows nothing': made('pg_depend', {
    'for everybody':
      'create policy added_# on public.sites as restrictive using (true);' +
      " delete from pg_catalog.pg_depend where classid = 'pg_catalog.pg_policy'::regclass" +
      " and objid = (select oid from pg_catalog.pg_policy where polname = 'added_#')",
  }),
  'everything of a role given away': `
    select r.rolname::text as object, 'pg_authid ' || r.oid as covers,
        format('reassign owned by %I to taxclaims_api', r.rolname) as sql
    from pg_roles as r where ${IS_HOUSE_ROLE}
        and exists (select from pg_class as c where c.relowner = r.oid union all select from pg_proc as f where f.proowner = r.oid)`,
};
