/* An entry: a DBA's ordinary action | the finding or drift it causes. `--> undo`: the action runs without a transaction. */

-- a DBA makes a login for an auditor
create role test_auditor login password 'x' in role taxclaims_auditor;
-- a DBA makes a login for another DBA
create role test_dba login password 'x' in role taxclaims_owner; grant connect on database :"DBNAME" to test_dba;
-- a DBA rotates a password
:API; alter role test_api password 'y';
-- a DBA sets the end of a password’s validity
:API; alter role test_api valid until '2099-01-01';
-- a DBA limits the connections of a login
:API; alter role test_api connection limit 20;
-- a DBA sets a login to NOLOGIN
:API; alter role test_api nologin;
-- a DBA renames a login
:API; alter role test_api rename to test_api_next;
-- a DBA drops a login
:API; drop role test_api;
-- a DBA sets the statement_timeout of a BI tool
:BI; alter role test_bi set statement_timeout = '2min';
-- a DBA limits the temporary files of a BI tool
:BI; alter role test_bi set temp_file_limit = '2GB'; alter role test_bi set idle_in_transaction_session_timeout = '5min';
-- a DBA makes a BI tool read-only by default
:BI; alter role test_bi set default_transaction_read_only = on;
-- a DBA sets the search_path of a BI tool to its views
:BI; alter role test_bi set search_path = reporting;
-- a DBA gives a BI tool more memory for its sorts
:BI; alter role test_bi set work_mem = '256MB';
-- a DBA grants a client to a BI tool and revokes the client
:GRANTED; select reporting.revoke_client('test_bi', ':CLIENT');
-- a DBA grants all clients to a BI tool
:BI; select reporting.grant_all_clients('test_bi');
-- a DBA grants all clients to a BI tool and revokes the grant of all clients
:BI; select reporting.grant_all_clients('test_bi'); select reporting.revoke_all_clients('test_bi');
-- a DBA calls reporting.adopt_grants for a reporting login
:GRANTED; select reporting.adopt_grants('test_bi');
-- a DBA analyzes every table
analyze;
-- a DBA rebuilds the indexes of a table
reindex table public.reclamations;
-- a DBA has indexes, statistics and a trigger on a table of their own
create schema of_dba; create table of_dba.notes (id integer primary key, said text); create index on of_dba.notes (said); create statistics of_dba.both on id, said from of_dba.notes;
create trigger same before update on of_dba.notes for each row execute function suppress_redundant_updates_trigger();
-- a DBA has a function and a type of their own
create schema of_dba; create function of_dba.one() returns integer language sql return 1; create type of_dba.state as enum ('on');
-- a DBA has a view of their own over reporting views
create schema of_dba; create view of_dba.claims with (security_invoker) as
select c.company_name, count(*) as claims from reporting.reclamations as r
join reporting.clients as c on c.id = r.client_id group by c.company_name;
-- a DBA has a view of their own over reporting views, which nobody else may read
create schema of_dba; create view of_dba.names as select company_name from reporting.clients;
-- a DBA installs intarray in a schema of its own
create schema lists; create extension intarray schema lists;
-- a DBA changes the formats of dates and names in the database
alter database :"DBNAME" set datestyle = 'German'; alter database :"DBNAME" set quote_all_identifiers = on;
-- a DBA installs pg_stat_statements in a schema of its own
create schema statements; create extension pg_stat_statements schema statements;
-- a DBA creates a role for a team
create role test_team; create role test_member login in role test_team;
-- a DBA sets the memory of the database
alter database :"DBNAME" set work_mem = '64MB';
-- a DBA sets the statement_timeout of the database
alter database :"DBNAME" set statement_timeout = '10min';
-- a DBA logs slow statements in the database
alter database :"DBNAME" set log_min_duration_statement = '1s';
-- a DBA sets the time zone of the database
alter database :"DBNAME" set timezone = 'Europe/Paris';
-- a DBA comments on a table, a role and the database
comment on table public.sites is 'x'; comment on role taxclaims_api is 'x'; comment on database :"DBNAME" is 'x';
-- a DBA locks tables as pg_dump does
set transaction isolation level repeatable read; lock table public.clients, public.sites, public.users in access share mode;
-- a DBA sets the counter of invoices after a restore
insert into public.invoice_counters (year, last_number) values (2025, 17) on conflict (year) do update set last_number = 17;
-- a DBA deletes the stored answers to requests with idempotency keys
delete from app.idempotency_keys;
-- a DBA creates statistics of a table of the service
create statistics public.of_dba on client_id, id from public.sites;
-- a DBA creates an index on a table of the service
create index of_dba on public.reclamations (tax_year, status);
-- a DBA renames an index of a table of the service
alter index public.sites_client_id_idx rename to of_dba;
-- a DBA renames a partial index of a table of the service
alter index app.reminders_waiting_idx rename to "of_dba (x) on";
-- a DBA tells the planner the number of different values of a column, and chooses the compression of a column
alter table public.clients alter column company_name set (n_distinct = -0.5), alter column company_name set compression pglz;
-- a DBA tells the planner the cost and the rows of a function
alter function app.client_access() cost 500; alter function app.changed_clients rows 5;
-- another application of the database has its own tables and views, and a login that may connect | finding rights_outside_house
create role test_other; create schema of_dba authorization test_other; create role test_reader login; grant connect on database :"DBNAME" to test_reader; grant usage on schema of_dba to test_reader;
set local role test_other; create table of_dba.notes (said text); grant select on of_dba.notes to test_reader;
create view of_dba.said as select said from of_dba.notes; grant select on of_dba.said to test_reader; reset role;
-- a DBA has a view of reporting views, which BI tools read and in which each login sees its own rows | finding outside_within_reach
create schema of_dba; create view of_dba.names as select company_name from reporting.clients; grant usage on schema of_dba to taxclaims_reporting;
grant select on of_dba.names to taxclaims_reporting;
-- a BI login has a schema with a view of reporting views | finding login_owns
:BI; create schema of_dba authorization test_bi; set local role test_bi; create view of_dba.names as select company_name from reporting.clients; reset role;
-- a DBA sets the fill factor of a table
alter table public.sites set (fillfactor = 70);
-- a minor release of Postgres stores a version of its own in the options of each column
update pg_catalog.pg_attribute set attoptions = '{pg_attver=1}' where attrelid = 'public.sites'::regclass and attnum > 0;
-- a DBA limits the connections of the database
alter database :"DBNAME" connection limit 50;
-- a DBA clusters a table by its primary key
cluster public.clients using clients_pkey;
-- a DBA has default privileges in a schema of their own
create schema of_dba; alter default privileges in schema of_dba grant select on tables to public;
-- a DBA disables bitmap scans for a BI tool
:BI; alter role test_bi set enable_bitmapscan = off;
-- a DBA sets the search_path of a BI tool to the default with the reporting views
:BI; alter role test_bi set search_path = "$user", reporting, public;
-- a DBA logs the plans of a BI tool's slow statements
:BI; alter role test_bi set session_preload_libraries = 'auto_explain';
-- a DBA lets a BI tool write checkpoints
:BI; grant pg_checkpoint to test_bi;
-- a DBA makes a login for the backups of other databases
create role test_elsewhere login bypassrls in role pg_read_all_data;
-- a DBA switches JIT off in the database
alter database :"DBNAME" set jit = off;
-- a DBA has a function of their own that runs with the DBA’s rights and that nobody else may run
create schema of_dba; create function of_dba.only_mine() returns integer language sql security definer return 1;
-- a DBA has a type of their own with a cast | drift cast
create schema of_dba; create type of_dba.kind as enum ('a'); create cast (of_dba.kind as varchar) with inout;
-- a DBA has a table of their own that a BI login reads | finding outside_within_reach
:BI; create schema of_dba; create table of_dba.notes (id integer, note text);
grant usage on schema of_dba to test_bi; grant select on of_dba.notes to test_bi;
-- a DBA has a view of their own that a BI login reads with its own rights
:BI; create schema of_dba; create view of_dba.places with (security_invoker) as select client_id from reporting.sites;
grant usage on schema of_dba to test_bi; grant select on of_dba.places to test_bi;
-- a DBA installs unaccent in a schema of its own
create schema of_dba; create extension unaccent schema of_dba;
-- a DBA makes a login for monitoring | finding login_reaches_privilege
create role test_monitoring login in role pg_monitor; grant connect on database :"DBNAME" to test_monitoring;
-- a DBA makes a login that counts the connections | finding rights_outside_house
create role test_counting login; grant connect on database :"DBNAME" to test_counting;
-- a DBA makes a login for backups | finding login_reaches_privilege
create role test_backup login bypassrls in role pg_read_all_data; grant connect on database :"DBNAME" to test_backup;
-- a DBA makes a login for a replica | finding login_reaches_privilege
create role test_replica login replication; grant connect on database :"DBNAME" to test_replica;
-- a DBA grants a view to a login that is in no group | finding rights_outside_house
create role test_stranger login; grant connect on database :"DBNAME" to test_stranger;
grant usage on schema reporting to test_stranger; grant select on reporting.clients, reporting.sites to test_stranger;
-- a DBA publishes tables for a warehouse | finding published_table
create publication warehouse for table public.clients, public.sites where (site_name is not null);
-- a DBA publishes every table | finding published_table
create publication everything for all tables;
-- a DBA lets BI tools make temporary tables | finding create_or_temp
grant temporary on database :"DBNAME" to taxclaims_reporting;
-- a DBA installs pg_trgm in the schema public | drift extension
create extension pg_trgm schema public;
-- a DBA installs citext in the schema public | drift extension
create extension citext schema public;
-- a DBA installs pg_buffercache | finding extension_not_known
create schema buffers; create extension pg_buffercache schema buffers;
-- a DBA has a view of their own, which BI tools read with their own rights
create schema of_dba; grant usage on schema of_dba to taxclaims_reporting;
create view of_dba.names with (security_invoker) as select id, company_name from reporting.clients;
grant select on of_dba.names to taxclaims_reporting;
-- a DBA has a calendar of their own, which BI tools read | finding outside_within_reach
create schema of_dba; grant usage on schema of_dba to taxclaims_reporting;
create table of_dba.codes (code text primary key, said text not null); grant select on of_dba.codes to taxclaims_reporting;
-- a DBA has a function of their own, which BI tools run with their own rights
create schema of_dba; grant usage on schema of_dba to taxclaims_reporting;
create function of_dba.quarter(date) returns integer language sql return extract(quarter from $1);
grant execute on function of_dba.quarter(date) to taxclaims_reporting;
-- a DBA creates a schema of taxclaims_owner with a view and a table | drift schema
create schema of_dba authorization taxclaims_owner; set local role taxclaims_owner;
create view of_dba.names as select id, company_name from reporting.clients;
create table of_dba.notes (id integer generated always as identity primary key, said text); reset role;
-- a DBA has an aggregate of their own | drift schema
create schema of_dba; create aggregate of_dba.total (integer) (sfunc = pg_catalog.int4pl, stype = integer);
-- a DBA creates a table whose default calls a function of the service | drift schema
create schema of_dba; create table of_dba.seen (by_role text default app.role());
-- a DBA creates a unique index on a table of the service | drift index
create unique index of_dba_unique on public.sites (id, site_name);
-- a DBA creates a partial index on a table of the service | drift index
create index of_dba_some on public.reclamations (status) where amount > 10000;
-- a DBA sets the search_path of a BI tool to a schema of their own | finding setting_stored
:BI; alter role test_bi set search_path = reporting, of_dba;
-- a DBA sets the statement_timeout of all BI tools | drift setting
alter role taxclaims_reporting set statement_timeout = '5min';
-- a DBA sets the search_path of the database to the reporting views | drift database setting
alter database :"DBNAME" set search_path = reporting, public;
-- a DBA makes another superuser | drift superuser
create role test_root superuser login;
-- a DBA adds a column to a table of the service | drift column
alter table public.clients add column note_of_dba text;
-- a DBA adds a check to a table of the service | drift constraint
alter table public.clients add constraint of_dba_named check (company_name <> '');
-- a DBA lets a login set what is logged | drift parameter grant
create role test_logging login; grant set on parameter log_min_duration_statement to test_logging;
-- a DBA vacuums every table
vacuum;
--> undo
-- a DBA makes another database
create database :"DBNAME_other";
--> undo
drop database :"DBNAME_other";
-- a DBA logs connections on the whole server
alter system set log_disconnections = on;
--> undo
alter system reset log_disconnections;
-- a DBA writes a checkpoint
checkpoint;
--> undo
