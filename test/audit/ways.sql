/*
 * The finding that must notice | a way to a tenant's row past the policies | the object that it names | whether
 * audit.who_can_see names test_bi with it. The login test_bi, in taxclaims_reporting and without any grant, is there
 * already; what it then says shows a text of firm b. The finding's remedy closes the way, and what mends besides.
 */

-- function_runs_as_owner | a superuser’s function in a schema of its own, which everybody may run | elsewhere.peek() | named
:ELSEWHERE create function elsewhere.peek() returns setof uuid language sql security definer
set search_path = '' begin atomic select id from public.clients; end;
--> shows :FOREIGN
select elsewhere.peek();
-- function_runs_as_owner | a function of a role that bypasses the policies, granted to a group | elsewhere.peek() | named
create schema elsewhere; create role test_strong bypassrls in role pg_read_all_data;
grant usage, create on schema elsewhere to test_strong; grant usage on schema elsewhere to taxclaims_reporting;
create function elsewhere.peek() returns setof uuid language sql security definer set search_path = ''
return (select id from public.clients where id = ':FOREIGN');
alter function elsewhere.peek() owner to test_strong;
revoke execute on function elsewhere.peek() from public; grant execute on function elsewhere.peek() to taxclaims_reporting;
--> shows :FOREIGN
select elsewhere.peek();
-- function_runs_as_owner | a table whose trigger runs a superuser’s function that nobody may run | elsewhere.peek() | named
:ELSEWHERE create table elsewhere.door (id uuid);
create function elsewhere.peek() returns trigger language plpgsql security definer set search_path = '' as
$f$ begin new.id := (select id from public.clients where id = ':FOREIGN'); return new; end $f$;
revoke execute on function elsewhere.peek() from public;
create trigger door before insert on elsewhere.door for each row execute function elsewhere.peek();
grant insert, select on elsewhere.door to taxclaims_reporting;
--> shows :FOREIGN
insert into elsewhere.door default values returning id;
-- function_runs_as_owner | an aggregate made of a superuser’s function that nobody may run | elsewhere.peek(uuid,integer) | named
:ELSEWHERE create function elsewhere.peek(uuid, integer) returns uuid language sql security definer
set search_path = '' begin atomic select id from public.clients where id = ':FOREIGN'; end;
revoke execute on function elsewhere.peek(uuid, integer) from public;
create aggregate elsewhere.peek_all(integer) (sfunc = elsewhere.peek, stype = uuid);
--> shows :FOREIGN
select elsewhere.peek_all(1);
-- function_unbounded | a function that reads the files of the server under another name | elsewhere.peek(text) | named
:ELSEWHERE create function elsewhere.peek(text) returns bytea language internal as 'pg_read_binary_file_all';
checkpoint;
--> shows "firm_b":true
select position(convert_to('Firm b', 'UTF8') in elsewhere.peek(pg_relation_filepath(c.oid))) > 0 as firm_b
from pg_class as c where c.relname = 'clients' and c.relkind = 'r';
-- function_leakproof | a leakproof function that says what it sees | elsewhere.watch(text) | named
:ELSEWHERE create function elsewhere.watch(text) returns boolean language plpgsql leakproof cost 0.0001 as
$f$ begin raise notice 'saw %', $1; return true; end $f$;
--> shows saw Firm b
select from reporting.clients where elsewhere.watch(company_name);
-- operator_added | an operator that is a better match than the one a policy means | operator public.=(character varying,text)
:ELSEWHERE create function elsewhere.same(varchar, text) returns boolean language sql return true;
create operator public.= (leftarg = varchar, rightarg = text, function = elsewhere.same);
-- operator_added | a cast that is applied without being written | cast (text as uuid)
create cast (text as uuid) with inout as implicit;
-- operator_added | a cast from a type of one’s own that is applied without being written | cast (elsewhere.kind as uuid)
:ELSEWHERE create type elsewhere.kind as enum ('a'); create cast (elsewhere.kind as uuid) with inout as implicit;
-- event_trigger | a function that runs in the session of whoever changes the schema | watching
:ELSEWHERE create function elsewhere.watch() returns event_trigger language plpgsql as $f$ begin end $f$;
create event trigger watching on ddl_command_end execute function elsewhere.watch();
-- trigger_added | a trigger that hands every claim to somebody’s function | trigger copying on public.reclamations
:ELSEWHERE create function elsewhere.take() returns trigger language plpgsql as $f$ begin return new; end $f$;
create trigger copying after insert on public.reclamations for each row execute function elsewhere.take();
-- trigger_added | a rule that switches the audit log off | rule silent on public.audit_logs
create rule silent as on insert to public.audit_logs do instead nothing;
-- foreign_owner | a function of a stranger’s in a schema of the house, that runs as the stranger | function app.peek()
create role test_stranger; create function app.peek() returns integer language sql security definer
set search_path = '' return 1; revoke execute on function app.peek() from public;
alter function app.peek() owner to test_stranger;
-- extension_not_known | an extension that shows the pages of tables | pageinspect
:ELSEWHERE create extension pageinspect schema elsewhere;
-- large_objects | a large object that others may read | large object 4711
select lo_from_bytea(4711, convert_to((select string_agg(id::text, ' ') from public.clients), 'UTF8'));
grant select on large object 4711 to taxclaims_reporting;
--> shows :FOREIGN
select convert_from(lo_get(4711), 'UTF8');
-- copy_within_reach | a table that was filled from another | elsewhere.places | named
:ELSEWHERE create table elsewhere.places as select * from public.sites; grant select on elsewhere.places to public;
--> shows :FOREIGN
select client_id from elsewhere.places;
-- copy_within_reach | a materialized view of another schema, through a view of the house | elsewhere.places | named
:ELSEWHERE create materialized view elsewhere.places as select client_id from reporting.sites;
grant select on elsewhere.places to taxclaims_reporting;
--> shows :FOREIGN
select client_id from elsewhere.places;
-- copy_within_reach | a table whose rule reads another as its owner | elsewhere.door | named
:ELSEWHERE create table elsewhere.door (id uuid); create table elsewhere.taken (id uuid);
create rule door as on insert to elsewhere.door do instead insert into elsewhere.taken select id from public.clients;
grant insert on elsewhere.door to taxclaims_reporting; grant select on elsewhere.taken to taxclaims_reporting;
--> shows :FOREIGN
insert into elsewhere.door default values; select id from elsewhere.taken;
-- view_without_invoker | a superuser’s view of another schema | elsewhere.places | named
:ELSEWHERE create view elsewhere.places as select client_id from public.sites;
grant select (client_id) on elsewhere.places to taxclaims_reporting;
--> shows :FOREIGN
select client_id from elsewhere.places;
-- inherited_table | a parent of a table of the house | elsewhere.parent | named
:ELSEWHERE create table elsewhere.parent (client_id uuid); alter table public.sites inherit elsewhere.parent;
grant select on elsewhere.parent to taxclaims_reporting;
--> shows :FOREIGN
select client_id from elsewhere.parent;
-- foreign_key_across_tenants | a foreign key from outside, by which whoever writes there learns which sites exist | guess_site_id_fkey on elsewhere.guess
:ELSEWHERE create table elsewhere.guess (site_id uuid references public.sites (id));
grant insert on elsewhere.guess to taxclaims_reporting;
-- foreign_owner | a stranger who owns the schema public | schema public
create role test_stranger; alter schema public owner to test_stranger;
-- catalog_right | the samples of columns that Postgres keeps | pg_catalog.pg_statistic | named
analyze public.clients; grant select on pg_catalog.pg_statistic to taxclaims_reporting;
--> shows Firm b
select s.stavalues1::text from pg_statistic as s join pg_class as c on c.oid = s.starelid
where c.relname = 'clients' and c.relkind = 'r';
-- catalog_right | one column of the table of passwords | pg_catalog.pg_authid.rolpassword | named
grant select (rolname, rolpassword) on pg_catalog.pg_authid to test_bi; revoke select (rolname) on pg_catalog.pg_authid from test_bi;
-- catalog_right | a function of Postgres that reads files | pg_read_binary_file(text) | named
checkpoint; grant execute on function pg_catalog.pg_read_binary_file(text) to taxclaims_reporting;
--> shows "firm_b":true
select position(convert_to('Firm b', 'UTF8') in pg_read_binary_file(pg_relation_filepath(c.oid))) > 0 as firm_b
from pg_class as c where c.relname = 'clients' and c.relkind = 'r';
-- foreign_server | a server that a login connects to as somebody else | server s | named
create foreign data wrapper w; create server s foreign data wrapper w;
create user mapping for test_bi server s options (user 'postgres');
-- foreign_server | a server that everybody may use | server s | named
create foreign data wrapper w; create server s foreign data wrapper w; grant usage on foreign server s to public;
-- foreign_server | a foreign data wrapper of which a group makes servers | foreign data wrapper w | named
create foreign data wrapper w; grant usage on foreign data wrapper w to taxclaims_reporting;
-- replication | a subscription, which writes rows of another server | subscription added
create subscription added connection 'dbname=nowhere' publication p with (connect = false, slot_name = none);
-- database_copied | a database of which copies are made
alter database :"DBNAME" is_template true;
-- login_reaches_privilege | a login that bypasses row-level security | test_bi | named
alter role test_bi bypassrls;
--> shows :FOREIGN
select client_id from reporting.sites;
-- login_reaches_privilege | a login that copies the whole server | test_bi | named
alter role test_bi replication;
-- login_reaches_privilege | a login that makes roles | test_bi | named
alter role test_bi createrole;
-- login_reaches_privilege | a login that becomes a superuser | test_bi | named
create role test_strong superuser; grant test_strong to test_bi;
--> shows :FOREIGN
set local role test_strong; select client_id from public.sites;
-- login_reaches_privilege | a login that makes roles by way of another role | test_bi | named
create role test_strong createrole; create role test_middle in role test_strong; grant test_middle to test_bi;
-- login_reaches_privilege | a login in a role of Postgres’s own by way of another | test_bi | named
create role test_middle in role pg_monitor; grant test_middle to test_bi;
-- login_reaches_privilege | a login that never enters this database: replication | test_stray
create role test_stray login replication;
-- login_reaches_privilege | a login that never enters this database: in role pg_execute_server_program | test_stray
create role test_stray login in role pg_execute_server_program;
-- login_becomes_login | a login that can become one of the API’s | test_stray
create role test_api login in role taxclaims_api; create role test_stray login in role test_api;
-- admin_of_house_role | a login that may put others into its group | test_bi
grant taxclaims_reporting to test_bi with admin option;
-- database_owner | a stranger who owns the database | test_stray
create role test_stray login; alter database :"DBNAME" owner to test_stray;
-- database_owner | a reporting login that becomes the owner of the database | test_bi | named
create role test_boss; grant test_boss to test_bi; alter database :"DBNAME" owner to test_boss;
-- database_owner | a member of the definer who owns the database | test_stray
create role test_stray login in role taxclaims_definer; alter database :"DBNAME" owner to test_stray;
--> mend
revoke taxclaims_definer from test_stray;
-- database_owner | a reporting login that owns the database, though it is a member of the house’s owner | test_stray
create role test_stray login in role taxclaims_reporting, taxclaims_owner;
alter database :"DBNAME" owner to test_stray;
--> mend
revoke taxclaims_owner from test_stray;
-- login_owns | a login of the house that owns a schema | test_bi
create schema odd authorization test_bi;
-- reporting_objection | a login with grants that was taken out of its group | test_bi
select reporting.grant_client('test_bi', ':OWN'); revoke taxclaims_reporting from test_bi;
-- reporting_objection | a login with all clients that was put into another role of that name | test_bi
select reporting.grant_all_clients('test_bi'); create role taxclaims_reporting_odd; grant taxclaims_reporting_odd to test_bi;
-- reporting_objection | grants of a login that was dropped | test_bi
select reporting.grant_client('test_bi', ':OWN'); drop role test_bi;
-- parameter_granted | the right to switch triggers and foreign keys off | session_replication_role | named
grant set on parameter session_replication_role to test_bi;
--> shows replica
set local session_replication_role = replica; show session_replication_role;
-- parameter_granted | the right to change a setting of the whole server | work_mem | named
grant alter system on parameter work_mem to public;
-- setting_stored | a login that begins without triggers, foreign keys and audit records | test_bi | named
alter role test_bi set session_replication_role = replica;
-- setting_stored | a database whose sessions look names up where others make them | every role | named
alter database :"DBNAME" set search_path = elsewhere, public;
-- setting_stored | a path on which the names of Postgres come last | test_bi | named
alter role test_bi in database postgres reset all; alter role test_bi set search_path = public, pg_catalog;
-- setting_stored | a login that loads a library | test_bi | named
alter role test_bi set session_preload_libraries = 'elsewhere';
-- setting_stored | a login that becomes another role before it has said anything | test_bi | named
alter role test_bi in database :"DBNAME" set role = taxclaims_reporting_all;
-- setting_stored | a login without row security | test_bi | named
alter role test_bi set row_security = off;
