/* What a DBA did, or somebody who passes for one | how audit.drift calls the change | the kind of fact | its object. */

-- a move that a client may make | added | row | public.reclamation_transitions DRAFT, APPROVED, CLIENT
insert into public.reclamation_transitions (from_status, to_status, role) values ('DRAFT', 'APPROVED', 'CLIENT');
-- a move that nobody may make | removed | row | public.invoice_transitions factures, ISSUED, PAID, ADMIN
delete from public.invoice_transitions where role = 'ADMIN' and to_status = 'PAID' and table_name = 'factures';
-- a move that needs less | changed | row | public.reclamation_transitions DRAFT, WITHDRAWN, ADMIN
update public.reclamation_transitions set requires = '{grounds}' where from_status = 'DRAFT' and to_status = 'WITHDRAWN' and role = 'ADMIN';
-- a guard of the last administrator without its row | removed | row | app.administrator_guard true
delete from app.administrator_guard;
-- a dropped policy | removed | policy | sites_select_tenant on public.sites
drop policy sites_select_tenant on public.sites;
-- an added policy | added | policy | added on public.sites
create policy added on public.sites using (false);
-- a loosened policy | changed | policy | sites_select_tenant on public.sites
alter policy sites_select_tenant on public.sites using (true);
-- a widened policy | changed | policy | sites_select_tenant on public.sites
alter policy sites_select_tenant on public.sites to public;
-- a new grant on a table | changed | grant | table public.sites to taxclaims_client
grant delete on public.sites to taxclaims_client;
-- a revoked grant | removed | grant | table public.sites to taxclaims_client
revoke select on public.sites from taxclaims_client;
-- a new grant on a column | changed | grant | table public.sites to taxclaims_admin
grant update (id) on public.sites to taxclaims_admin;
-- a grant with grant option | changed | grant | table public.sites to taxclaims_client
grant select on public.sites to taxclaims_client with grant option;
-- a grant on a function | added | grant | function app.role() to PUBLIC
grant execute on function app.role() to public;
-- a grant on a schema | added | grant | schema app to taxclaims_reporting
grant usage on schema app to taxclaims_reporting;
-- another owner | changed | table | public.sites
alter table public.sites owner to taxclaims_definer;
-- row-level security off | changed | table | public.sites
alter table public.sites disable row level security;
-- row-level security not forced | changed | table | public.sites
alter table public.sites no force row level security;
-- another membership | added | membership | taxclaims_client in taxclaims_admin
grant taxclaims_admin to taxclaims_client;
-- a role that may log in | changed | role | taxclaims_client
alter role taxclaims_client login;
-- a function without its path | changed | function | app.role()
alter function app.role() reset search_path;
-- a view that reads as its owner | changed | view | audit.denials
alter view audit.denials reset (security_invoker);
-- a disabled trigger | changed | trigger | audit_logs_append_only on public.audit_logs
alter table public.audit_logs disable trigger all;
-- another function body | changed | function body | app.role()
create or replace function app.role() returns text language sql stable set search_path = '' return 'ADMIN';
-- privileges by default | added | default privileges | r of taxclaims_owner in every schema
alter default privileges for role taxclaims_owner grant select on tables to public;
-- a rule that switches the audit log off | added | rule | quiet on public.audit_logs
create rule quiet as on insert to public.audit_logs do instead nothing;
-- a trigger by which rows are copied | added | trigger | copy on public.reclamations
create function public.copy() returns trigger language plpgsql as $$ begin return new; end $$; create trigger copy after insert on public.reclamations for each row execute function public.copy();
-- a trigger that fires in replicas alone | changed | trigger | sites_touch on public.sites
alter table public.sites enable replica trigger sites_touch;
-- a foreign key whose triggers are off | changed | trigger | "RI_FKey_check_ins" of sites_client_id_fkey on public.sites on public.sites
do $$ begin execute (select format('alter table public.sites disable trigger %I', tgname) from pg_trigger
where tgrelid = 'public.sites'::regclass and tgfoid = '"RI_FKey_check_ins"'::regproc limit 1); end $$;
-- a dropped foreign key | removed | constraint | sites_client_id_fkey on public.sites
alter table public.sites drop constraint sites_client_id_fkey;
-- a constraint that is not valid | added | constraint | later on public.sites
alter table public.sites add constraint later check (id is not null) not valid;
-- a column that may be null | changed | column | public.sites.client_id
alter table public.sites alter column client_id drop not null;
-- a column of another type | changed | column | app.migrations.name
alter table app.migrations alter column name type text;
-- another default | changed | column | public.users.is_active
alter table public.users alter column is_active set default false;
-- an added column | added | column | public.clients.extra
alter table public.clients add column extra text;
-- a dropped index | removed | index | public.audit_logs_refusals_idx
drop index public.audit_logs_refusals_idx;
-- an index that is not valid | changed | index | public.audit_logs_refusals_idx
update pg_index set indisvalid = false where indexrelid = 'public.audit_logs_refusals_idx'::regclass;
-- a table that a crash empties | changed | table | app.client_documents
alter table app.client_documents set unlogged;
-- another replica identity | changed | table | public.sites
alter table public.sites replica identity full;
-- a parent elsewhere | added | inheritance | public.sites of aside.parent
create schema aside; create table aside.parent (id uuid not null); alter table public.sites inherit aside.parent;
-- a child elsewhere | added | inheritance | aside.child of public.sites
create schema aside; create table aside.child () inherits (public.sites);
-- a view elsewhere that others read as its owner | added | schema | aside
create schema aside; create view aside.claims as select id from public.reclamations;
grant select on aside.claims to taxclaims_auditor;
-- a default elsewhere that asks the house | added | schema | aside
create schema aside; create table aside.seen (by_role text default app.role());
-- a foreign key from elsewhere | added | constraint | note_site_fkey on aside.note
create schema aside; create table aside.note (site uuid references public.sites (id));
-- a leakproof function | changed | function | app.role()
alter function app.role() leakproof;
-- a function that says it has no side effect | changed | function | app.role()
alter function app.role() parallel safe;
-- a function beside those of Postgres | added | function | lower(uuid)
set local allow_system_table_mods = on;
create function pg_catalog.lower(uuid) returns text language sql as $$ select $1::text $$;
-- another function of Postgres | changed | built-in | pg_proc
update pg_proc set prosecdef = true where oid = 'pg_catalog.upper(text)'::regprocedure;
-- a right to a function of Postgres | removed | grant | function pg_read_file(text) to PUBLIC
grant execute on function pg_catalog.pg_read_file(text) to public;
-- a right to a column of a catalog | added | grant | column pg_authid.rolpassword to taxclaims_reporting
grant select (rolpassword) on pg_catalog.pg_authid to taxclaims_reporting;
-- a cast | added | cast | (aside.word AS pg_catalog.text)
create schema aside; create type aside.word as enum ('a'); create cast (aside.word as text) with inout as implicit;
-- an operator | added | operator | aside.=(pg_catalog.uuid,pg_catalog.uuid)
create schema aside; create operator aside.= (leftarg = uuid, rightarg = uuid, function = pg_catalog.uuid_ne);
-- a right of a role of the house in a schema of somebody else | added | schema | aside
create schema aside; create table aside.everything (client text); grant select on aside.everything to taxclaims_reporting;
-- a function that runs as a role of the house | added | function | aside.reach()
create schema aside; create function aside.reach() returns text language sql security definer as $$ select 'a' $$;
alter function aside.reach() owner to taxclaims_definer;
-- a type | added | type | public.money_of_ours
create domain public.money_of_ours as numeric;
-- a right of an outsider to a function that runs as its owner | added | grant | function app.email_of(uuid,text) to test_outsider
create role test_outsider; grant execute on function app.email_of(uuid, text) to test_outsider;
-- a publication of nothing yet | added | publication | everything
create publication everything;
-- an event trigger | added | event trigger | watch
create schema aside; create function aside.watch() returns event_trigger language plpgsql as $$ begin end $$;
create event trigger watch on ddl_command_end execute function aside.watch();
-- a foreign server | added | foreign server | far
create foreign data wrapper far; create server far foreign data wrapper far;
-- another owner of a schema | changed | schema | reporting
alter schema reporting owner to taxclaims_definer;
-- another owner of the database | changed | database | this database
alter database :"DBNAME" owner to taxclaims_owner;
-- a setting of the database that disarms triggers | added | database setting | session_replication_role for this database
alter database :"DBNAME" set session_replication_role = replica;
-- a setting of a role of the house | added | setting | search_path for taxclaims_api
alter role taxclaims_api set search_path = public;
-- a right to a parameter | added | parameter grant | session_replication_role to taxclaims_reporting
grant set on parameter session_replication_role to taxclaims_reporting;
-- a superuser | added | superuser | test_root
create role test_root superuser login;
-- a role of the house with a limit of connections | changed | role | taxclaims_api
alter role taxclaims_api connection limit 0;
-- a membership with the right to pass it on | changed | membership | taxclaims_api in taxclaims_admin
grant taxclaims_admin to taxclaims_api with admin option;
-- a right that an owner lost | added | grant | table public.sites to taxclaims_owner
revoke insert on public.sites from taxclaims_owner;
-- storage of a column | changed | column | public.clients.company_name
alter table public.clients alter column company_name set storage external;
-- an extension among what is the house's | changed | extension | plpgsql
create extension if not exists plpgsql; alter extension plpgsql add schema reporting;
