import { ELSEWHERE, FOREIGN, here, type Way } from './way.ts';

/** Copies, what reads as its owner, parents; rights to catalogs, servers, what leaves the database. */
export const RELATIONS: readonly Way[] = [
  {
    finding: 'large_objects',
    what: 'a large object that others may read',
    object: 'large object 4711',
    bad: `select lo_from_bytea(4711, convert_to((select string_agg(id::text, ' ') from public.clients), 'UTF8'));
      grant select on large object 4711 to taxclaims_reporting`,
    reads: { sql: `select convert_from(lo_get(4711), 'UTF8')`, seen: FOREIGN },
  },
  {
    finding: 'copy_within_reach',
    what: 'a table that was filled from another',
    object: 'elsewhere.places',
    bad: `${ELSEWHERE} create table elsewhere.places as select * from public.sites; grant select on elsewhere.places to public`,
    reads: { sql: 'select client_id from elsewhere.places', seen: FOREIGN },
    named: true,
  },
  {
    finding: 'copy_within_reach',
    what: 'a materialized view of another schema, through a view of the house',
    object: 'elsewhere.places',
    bad: `${ELSEWHERE} create materialized view elsewhere.places as select client_id from reporting.sites;
      grant select on elsewhere.places to taxclaims_reporting`,
    reads: { sql: 'select client_id from elsewhere.places', seen: FOREIGN },
    named: true,
  },
  {
    finding: 'copy_within_reach',
    what: 'a table whose rule reads another as its owner',
    object: 'elsewhere.door',
    bad: `${ELSEWHERE} create table elsewhere.door (id uuid); create table elsewhere.taken (id uuid);
      create rule door as on insert to elsewhere.door do instead insert into elsewhere.taken select id from public.clients;
      grant insert on elsewhere.door to taxclaims_reporting; grant select on elsewhere.taken to taxclaims_reporting`,
    reads: {
      sql: 'insert into elsewhere.door default values; select id from elsewhere.taken',
      seen: FOREIGN,
    },
    named: true,
  },
  {
    finding: 'view_without_invoker',
    what: 'a superuser’s view of another schema',
    object: 'elsewhere.places',
    bad: `${ELSEWHERE} create view elsewhere.places as select client_id from public.sites;
      grant select (client_id) on elsewhere.places to taxclaims_reporting`,
    reads: { sql: 'select client_id from elsewhere.places', seen: FOREIGN },
    named: true,
  },
  {
    finding: 'inherited_table',
    what: 'a parent of a table of the house',
    object: 'elsewhere.parent',
    bad: `${ELSEWHERE} create table elsewhere.parent (client_id uuid); alter table public.sites inherit elsewhere.parent;
      grant select on elsewhere.parent to taxclaims_reporting`,
    reads: { sql: 'select client_id from elsewhere.parent', seen: FOREIGN },
    named: true,
  },
  {
    finding: 'foreign_key_across_tenants',
    what: 'a foreign key from outside, by which whoever writes there learns which sites exist',
    object: 'guess_site_id_fkey on elsewhere.guess',
    bad: `${ELSEWHERE} create table elsewhere.guess (site_id uuid references public.sites (id));
      grant insert on elsewhere.guess to taxclaims_reporting`,
  },
  {
    finding: 'foreign_owner',
    what: 'a stranger who owns the schema public',
    object: 'schema public',
    bad: 'create role test_stranger; alter schema public owner to test_stranger',
  },
  {
    finding: 'catalog_right',
    what: 'the samples of columns that Postgres keeps',
    object: 'pg_catalog.pg_statistic',
    bad: 'analyze public.clients; grant select on pg_catalog.pg_statistic to taxclaims_reporting',
    reads: {
      sql: `select s.stavalues1::text from pg_statistic as s join pg_class as c on c.oid = s.starelid
            where c.relname = 'clients' and c.relkind = 'r'`,
      seen: 'Firm b',
    },
    named: true,
  },
  {
    finding: 'catalog_right',
    what: 'one column of the table of passwords',
    object: 'pg_catalog.pg_authid.rolpassword',
    bad: 'grant select (rolname, rolpassword) on pg_catalog.pg_authid to test_bi; revoke select (rolname) on pg_catalog.pg_authid from test_bi',
    named: true,
  },
  {
    finding: 'catalog_right',
    what: 'a function of Postgres that reads files',
    object: 'pg_read_binary_file(text)',
    bad: 'checkpoint; grant execute on function pg_catalog.pg_read_binary_file(text) to taxclaims_reporting',
    reads: {
      sql: `select position(convert_to('Firm b', 'UTF8') in pg_read_binary_file(pg_relation_filepath(c.oid))) > 0 as firm_b
            from pg_class as c where c.relname = 'clients' and c.relkind = 'r'`,
      seen: '"firm_b":true',
    },
    named: true,
  },
  {
    finding: 'foreign_server',
    what: 'a server that a login connects to as somebody else',
    object: 'server s',
    bad: `create foreign data wrapper w; create server s foreign data wrapper w;
      create user mapping for test_bi server s options (user 'postgres')`,
    named: true,
  },
  {
    finding: 'foreign_server',
    what: 'a server that everybody may use',
    object: 'server s',
    bad: 'create foreign data wrapper w; create server s foreign data wrapper w; grant usage on foreign server s to public',
    named: true,
  },
  {
    finding: 'foreign_server',
    what: 'a foreign data wrapper of which a group makes servers',
    object: 'foreign data wrapper w',
    bad: 'create foreign data wrapper w; grant usage on foreign data wrapper w to taxclaims_reporting',
    named: true,
  },
  {
    finding: 'replication',
    what: 'a subscription, which writes rows of another server',
    object: 'subscription added',
    bad: `create subscription added connection 'dbname=nowhere' publication p with (connect = false, slot_name = none)`,
  },
  {
    finding: 'database_copied',
    what: 'a database of which copies are made',
    object: '',
    bad: here('alter database %I is_template true'),
  },
];
