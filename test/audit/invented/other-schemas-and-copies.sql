/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- a copy of claims in a schema for analysts | BI logins read the claims of all tenants
create schema analytics; grant usage on schema analytics to taxclaims_reporting;
create table analytics.claims as table public.reclamations;
grant select on analytics.claims to taxclaims_reporting;
-- a materialized view of claims in public | each tenant reads all claims, as they were
create materialized view public.claims_of_today as select * from public.reclamations;
grant select on public.claims_of_today to taxclaims_client;
-- a materialized view in reporting | BI logins read the totals of all tenants
create materialized view reporting.totals as
  select client_id, sum(amount) as amount from public.reclamations group by client_id;
grant select on reporting.totals to taxclaims_reporting;
-- a view of the superuser’s in reporting, without security_invoker | BI logins read users of all tenants
create view reporting.everybody as select * from public.users;
grant select on reporting.everybody to taxclaims_reporting;
-- a view over the audit log in another schema, for auditors | auditors read what succeeded
create schema watch; grant usage on schema watch to taxclaims_auditor;
create view watch.successes as select * from public.audit_logs where success;
grant select on watch.successes to taxclaims_auditor;
-- a backup of users left in public, granted to nobody | hashes lie in a table without row-level security, one grant away
create table public.users_backup as table public.users;
-- a table of users in pg_catalog | every login reads it, for everybody may use that schema
set local allow_system_table_mods = on;
create table pg_catalog.users_copy as table public.users;
grant select on pg_catalog.users_copy to public;
-- a view in information_schema | every login reads all emails
set local allow_system_table_mods = on;
create view information_schema.user_emails as select email, client_access from public.users;
grant select on information_schema.user_emails to public;
-- the TOAST table of kept answers for BI logins | a BI login reads the chunks of long answers of all tenants
do $$ begin
  execute format('grant select on %s to taxclaims_reporting',
    (select reltoastrelid::regclass from pg_class where oid = 'app.idempotency_keys'::regclass));
  grant usage on schema pg_toast to taxclaims_reporting;
end $$;
-- a schema of tools with a function that everybody runs by default | every login reads what the superuser reads
create schema tools; grant usage on schema tools to public;
create function tools.ask(query text) returns setof text language plpgsql security definer as $$
begin return query execute query; end $$;
grant execute on function tools.ask(text) to public;
-- hashes in a large object, for BI logins | BI logins read emails and hashes of all users
select lo_from_bytea(424242, convert_to(string_agg(email || password_hash, ','), 'utf8')) from public.users;
grant select on large object 424242 to taxclaims_reporting;
-- a copy of the database | every login of the cluster enters the copy, and what is revoked here goes on there
create database invented_copy template :"DBNAME";
--> undo
drop database if exists invented_copy;
-- a sequence that tells how many claims there are | a tenant sees by its steps how much the others do
create schema tools; grant usage on schema tools to public;
create sequence tools.claim_numbers;
alter table public.reclamations alter column notice_reference set default nextval('tools.claim_numbers')::text;
grant usage, select on sequence tools.claim_numbers to taxclaims_client, taxclaims_tax_specialist;
-- extended statistics over emails and hashes, and their catalog for auditors | an auditor reads the most common pairs by pg_mcv_list_items
create statistics public.users_mcv (mcv) on email, password_hash from public.users;
analyze public.users;
grant select on pg_catalog.pg_statistic_ext_data to taxclaims_auditor;
-- a function in reporting that gives whole rows of sites | BI logins read all columns of sites of all tenants
create function reporting.all_sites() returns setof public.sites language sql security definer stable
  begin atomic select * from public.sites; end;
grant execute on function reporting.all_sites() to taxclaims_reporting;
-- the audit log put aside, and an empty one in its place | what was recorded is out of sight, and what will be is no longer append-only
alter table public.audit_logs rename to audit_logs_until_today;
create table public.audit_logs (like public.audit_logs_until_today including all);
alter table public.audit_logs enable row level security;
alter table public.audit_logs force row level security;
alter table public.audit_logs owner to taxclaims_owner;
