/*
 * Changes of the database by hand that a deploy undoes. The query after `--> there` returns a row while the change
 * exists.
 */

-- a trigger that copies every claim elsewhere
create schema elsewhere;
create table elsewhere.copies (claim jsonb);
create function elsewhere.copy() returns trigger language plpgsql security definer
  as 'begin insert into elsewhere.copies values (to_jsonb(new)); return new; end';
create trigger copy after insert or update on public.reclamations for each row execute function elsewhere.copy();
--> there
select from pg_trigger where tgname = 'copy';
-- a rule that switches the audit log off
create rule nothing as on insert to public.audit_logs do instead nothing;
--> there
select from pg_rewrite where rulename = 'nothing';
-- an audit trigger of the project that was switched off
alter table public.sites disable trigger sites_audit_write;
--> there
select from pg_trigger where tgname = 'sites_audit_write' and tgenabled <> 'O';
-- a trigger of the audit log that replication walks past, as pg_restore --disable-triggers leaves it
alter table public.audit_logs enable trigger all;
--> there
select from pg_trigger where tgname = 'audit_logs_append_only' and tgrelid = 'public.audit_logs'::regclass and tgenabled <> 'A';
-- a foreign key that was switched off
alter table public.factures disable trigger all;
--> there
select from pg_trigger where tgrelid = 'public.factures'::regclass and tgenabled <> 'O';
-- row-level security that was switched off
alter table public.documents disable row level security, no force row level security;
--> there
select from pg_class where oid = 'public.documents'::regclass and not (relrowsecurity and relforcerowsecurity);
-- default privileges that let everybody read new tables
alter default privileges for role taxclaims_owner  grant select on tables to public;
--> there
select from pg_default_acl where defaclobjtype = 'r' and (defaclnamespace <> 0) = false;
-- default privileges that let everybody run new functions
alter default privileges for role taxclaims_owner  grant execute on functions to public;
--> there
select where not exists (
  select from pg_default_acl
  where defaclrole = 'taxclaims_owner'::regrole and defaclobjtype = 'f' and defaclnamespace = 0
);
-- default privileges for new functions of one schema
alter default privileges for role taxclaims_owner in schema app grant execute on functions to taxclaims_reporting;
--> there
select from pg_default_acl where defaclobjtype = 'f' and (defaclnamespace <> 0) = true;
-- default privileges of another role in a schema of the project
alter default privileges in schema reporting grant select on tables to taxclaims_reporting;
--> there
select from pg_default_acl where defaclnamespace = 'reporting'::regnamespace;
-- a function of a superuser in a schema of the project
create function app.by_superuser() returns bigint language sql security definer as 'select count(*) from public.clients';
--> there
select from pg_proc where proname = 'by_superuser';
-- a function of the owner role that no file creates, and another function that needs it
set role taxclaims_owner; create function app.by_owner() returns integer language sql return 1;
create function app.by_owner_too() returns integer language sql begin atomic select app.by_owner(); end; reset role;
--> there
select from pg_proc where proname = 'by_owner' union all select from pg_proc where proname = 'by_owner_too';
-- a procedure and an aggregate function that no file creates
set role taxclaims_owner; create procedure reporting.by_hand() language sql as 'select 1';
create aggregate app.by_hand (integer) (sfunc = int4pl, stype = integer); reset role;
--> there
select from pg_proc where proname = 'by_hand';
-- a view that reads with its owner's rights, and a view that reads that view
set role taxclaims_owner; create view public.inner_view as select * from public.clients;
create view public.outer_view as select * from public.inner_view; grant select on public.outer_view to public; reset role;
--> there
select from pg_class where relname = 'inner_view' union all select from pg_class where relname = 'outer_view';
-- a materialized view, which no policy protects
create materialized view reporting.copy as select * from public.clients;
--> there
select from pg_class where relname = 'copy';
-- a view of the project that was changed
create or replace view reporting.sites as select s.*, true as by_hand from reporting.sites as s limit 0; drop view reporting.sites; create view reporting.sites as select id from public.sites;
--> there
select where not exists (select from pg_attribute where attrelid = 'reporting.sites'::regclass and attname = 'site_name');
-- another body of a function that a migration created
create or replace function app.is_siret(siret text) returns boolean language sql immutable return true;
--> there
select where app.is_siret('1');
-- another owner of a function of the project
alter function app.touch() owner to pg_monitor;
--> there
select from pg_proc where proname = 'touch' and proowner = 'pg_monitor'::regrole;
-- other settings and attributes of a function of the project
alter function app.client_access() leakproof security definer set search_path = public;
--> there
select from pg_proc where proname = 'client_access' and (proleakproof or prosecdef or proconfig <> '{"search_path=\"\""}');
