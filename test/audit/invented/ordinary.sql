/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- analyze | nothing
analyze;
-- vacuum of one table | nothing
vacuum (analyze) public.reclamations;
--> undo
;
-- vacuum full of the audit log | nothing
vacuum full public.audit_logs;
--> undo
;
-- reindex of a table | nothing
reindex table public.sites;
-- reindex concurrently | nothing
reindex table concurrently public.users;
--> undo
;
-- cluster by an index | nothing
cluster public.sites using sites_client_id_idx;
-- a checkpoint | nothing
checkpoint;
-- another login of the API | nothing
create role api_staging login password 's' in role taxclaims_api;
-- a login of a BI tool with its limits | nothing
create role bi_borealis login password 's' connection limit 5 in role taxclaims_reporting;
alter role bi_borealis set temp_file_limit = '2GB';
alter role bi_borealis set statement_timeout = '2min';
alter role bi_borealis set idle_in_transaction_session_timeout = '5min';
alter role bi_borealis set default_transaction_read_only = on;
alter role bi_borealis set search_path = reporting;
select reporting.grant_client('bi_borealis', 'c1000000-0000-4000-8000-000000000002');
-- a client granted by the owner | nothing | by owner
select reporting.grant_client('bi_acme', 'c1000000-0000-4000-8000-000000000002');
-- a client revoked | nothing
select reporting.revoke_client('bi_acme', 'c1000000-0000-4000-8000-000000000001');
-- all clients granted | nothing
select reporting.grant_all_clients('bi_acme');
-- all clients granted and taken back | nothing
select reporting.grant_all_clients('bi_acme'); select reporting.revoke_all_clients('bi_acme');
-- grants adopted after a restore | nothing
select reporting.adopt_grants('bi_acme');
-- a BI login dropped, with its grants | nothing
select reporting.revoke_client(login, client_id) from reporting.granted where login = 'bi_acme';
drop role bi_acme;
-- another auditor | nothing
create role auditor_bea login password 's' in role taxclaims_auditor;
-- a password changed | nothing
alter role api_production password 'another-secret';
-- a password that ends | nothing
alter role auditor_anna valid until '2030-01-01';
-- a bound to connections | nothing
alter role api_production connection limit 50;
-- the API’s login exchanged for a new one | nothing
create role api_next login password 's' in role taxclaims_api; drop role api_production;
-- a login closed for the night | nothing
alter role bi_acme nologin; alter role bi_acme login;
-- a comment | nothing
comment on table public.sites is 'Establishments of a client.';
-- more memory for the server | nothing
alter system set work_mem = '16MB';
select pg_reload_conf();
--> undo
alter system reset work_mem;
select pg_reload_conf();
-- slow checkpoints and vacuums in the log | nothing
alter system set log_autovacuum_min_duration = '1s';
select pg_reload_conf();
--> undo
alter system reset log_autovacuum_min_duration;
select pg_reload_conf();
-- memory for one login | nothing
alter role bi_acme set work_mem = '64MB';
-- bitmap scans off for a login with many clients | nothing
alter role bi_acme set enable_bitmapscan = off;
-- a bound to the API’s statements | nothing
alter role api_production set statement_timeout = '30s';
-- an auditor’s search_path | nothing
alter role auditor_anna set search_path = audit;
-- a bound to the database’s connections | nothing
alter database :"DBNAME" with connection limit 200;
-- parallel workers for the database | nothing
alter database :"DBNAME" set max_parallel_workers_per_gather = 1;
-- room in the pages of a table | nothing | by owner
alter table public.reclamations set (fillfactor = 95);
-- autovacuum of a table more often | nothing | by owner
alter table public.reclamations set (autovacuum_vacuum_scale_factor = 0.02);
-- finer statistics of a column | nothing | by owner
alter table public.reclamations alter column client_id set statistics 500; analyze public.reclamations;
-- statistics of two columns together | nothing | by owner
create statistics public.reclamations_place (dependencies) on client_id, site_id from public.reclamations;
-- an index for a slow report | nothing | by owner
create index reclamations_tax_year_idx on public.reclamations (client_id, tax_year);
-- a login for monitoring, which does not enter this database | nothing
create role zabbix login password 's' in role pg_monitor;
-- a login of another application | nothing
create role wiki login password 's';
-- a database of another application | nothing
create role wiki_owner login;
create database invented_wiki owner wiki_owner;
--> undo
drop database if exists invented_wiki;
drop role if exists wiki_owner;
-- the configuration read again | nothing
select pg_reload_conf();
--> undo
;
-- counters of statistics begun anew | nothing
select pg_stat_reset();
-- the next file of WAL | nothing
select pg_switch_wal();
-- rows looked at with the eyes of a request | nothing
set local role taxclaims_tax_specialist;
select set_config('app.client_access', '{c1000000-0000-4000-8000-000000000001}', true);
select id, status, amount from public.reclamations;
-- a client, a site and a claim more | nothing
insert into public.clients (id, company_name, contact_email)
  values ('c1000000-0000-4000-8000-000000000003', 'Cobalt', 'c@cobalt.example');
insert into public.sites (id, client_id, site_name)
  values ('51000000-0000-4000-8000-000000000003', 'c1000000-0000-4000-8000-000000000003', 'Lyon');
insert into public.reclamations (client_id, site_id, claim_type, amount)
  values ('c1000000-0000-4000-8000-000000000003', '51000000-0000-4000-8000-000000000003', 'TF', 1);
-- a client deleted with all that is its | nothing
delete from public.clients where company_name = 'Borealis';
-- a user made inactive | nothing
update public.users set is_active = false where email = 'tom@acme.example';
-- kept answers deleted | nothing
delete from app.idempotency_keys;
-- a constraint validated once more | nothing
alter table public.sites validate constraint sites_client_id_fkey;
-- the tables of a dump locked for reading | nothing
lock table public.clients, public.audit_logs in access share mode;
-- a temporary table of the superuser’s | nothing
create temporary table looked_at on commit drop as select id from public.clients;
-- the collation’s version noted after an upgrade of the system | nothing
alter database :"DBNAME" refresh collation version;
