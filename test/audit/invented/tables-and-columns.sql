/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- a default for the client of a site | a site without a client becomes ACME’s | by owner
alter table public.sites alter column client_id set default 'c1000000-0000-4000-8000-000000000001';
-- claims begin as SUBMITTED | a claim skips the review, and nobody submitted it | by owner
alter table public.reclamations alter column status set default 'SUBMITTED';
-- new users have ACME | whoever is stored without a list reads ACME | by owner
alter table public.users alter column client_access set default '{c1000000-0000-4000-8000-000000000001}';
-- records of grants are dated in 2000 | the audit log says that a client was granted long ago
alter table public.audit_logs alter column created_at set default '2000-01-01';
-- the audit log unlogged, for speed | a crash empties it
alter table audit_log.later set unlogged;
-- a child table of sites for the archive, open to BI logins | rows put there are read past every policy of sites, and appear among the sites | by owner
create table public.sites_archive () inherits (public.sites);
grant select on public.sites_archive to taxclaims_reporting;
-- a generated column that repeats the hash under an innocent name | clients read password hashes | by owner
alter table public.users add column badge text generated always as (password_hash) stored;
grant select (badge) on public.users to taxclaims_client;
-- a column for the firm’s remarks, shown to clients and BI logins | a client reads what the firm says of it | by owner
alter table public.clients add column remarks text;
grant select (remarks) on public.clients to taxclaims_client, taxclaims_reporting;
-- who moved a claim is cut to 63 bytes, as type name | two long subjects look alike in the history | by owner
drop policy reclamation_history_update_definer on public.reclamation_history;
alter table public.reclamation_history alter column actor type name;
create policy reclamation_history_update_definer on public.reclamation_history for update to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0)
    with check (actor = changed_by::text);
-- the two statuses of the history change names | the history tells every move backwards | by owner
alter table public.reclamation_history rename from_status to was;
alter table public.reclamation_history rename to_status to from_status;
alter table public.reclamation_history rename was to to_status;
-- the client of a claim may be null | a claim without a client escapes the pair with its site | by owner
alter table public.reclamations alter column client_id drop not null;
-- the client of a site may be null, on a table whose policies ask for it | rows that nobody sees and no cascade takes along | by owner
alter table public.factures alter column client_id drop not null;
-- the digest of rights is no longer generated | a user’s rights change and the digest stays: old tokens go on | by owner
alter table public.users alter column access_digest drop expression;
alter table public.users alter column access_digest set default '';
-- the deadline of a claim is counted otherwise | everybody is told four years too many | by owner | since 17
alter table public.reclamations alter column claim_deadline
set expression as (make_date(extract(year from collection_date)::integer + 5, 12, 31));
-- the deadline of a claim is no longer generated | new claims have no deadline | by owner
alter table public.reclamations alter column claim_deadline drop expression;
-- a table of app belongs to the API’s role | the login of the API, who may become it, turns its row-level security off
alter table app.content_removals owner to taxclaims_api;
-- partners belong to the definer | a function of the house alters the table
alter table public.partners owner to taxclaims_definer;
-- schema app belongs to administrators | a request of an ADMIN drops or makes functions there
alter schema app owner to taxclaims_admin;
-- a view of reporting that runs as the superuser | BI logins read the sites of all tenants
alter view reporting.sites set (security_invoker = off);
do $$ begin execute format('alter view reporting.sites owner to %I', current_user); end $$;
-- a view of reporting with the hash as one more column | BI logins read password hashes | by owner
create or replace view reporting.users with (security_invoker) as
  select u.id, u.email, u.name, u.role, u.is_active, u.created_at, u.updated_at, u.password_hash
    from public.users as u;
grant select (password_hash) on public.users to taxclaims_reporting;
-- a view of reporting with a union of other rows | BI logins read the partners of all tenants from a copy
create table reporting.partners_copy as table public.partners;
grant select on reporting.partners_copy to taxclaims_reporting;
create or replace view reporting.partners with (security_invoker) as
  select p.id, p.name, p.siret, p.contact_email, p.phone, p.address, p.commission_rate, p.created_at, p.updated_at
    from public.partners as p
  union all
  select c.id, c.name, c.siret, c.contact_email, c.phone, c.address, c.commission_rate, c.created_at, c.updated_at
    from reporting.partners_copy as c;
-- a view of reporting that hides the last year | reports leave out what they must show | by owner
create or replace view reporting.sites with (security_invoker) as
select s.id, s.client_id, s.site_name, s.address, s.created_at, s.updated_at
  from public.sites as s where s.created_at < date '2026-01-01';
-- the audit log in a tablespace of a scratch disk | it goes with that disk
set allow_in_place_tablespaces = on;
create tablespace scratch location '';
alter table public.audit_logs set tablespace scratch;
--> undo
alter table public.audit_logs set tablespace pg_default;
drop tablespace scratch;
-- a view in the place of the history of claims | clients read the history of all tenants, but for what was withdrawn
alter table public.reclamation_history rename to reclamation_history_rows;
create view public.reclamation_history as
  select * from public.reclamation_history_rows where to_status <> 'WITHDRAWN';
grant select, insert on public.reclamation_history to taxclaims_definer;
grant select on public.reclamation_history to taxclaims_client;
-- kept answers are dated at the end of time | bodies with the rows of tenants stay for ever, past their 24 hours | by owner
alter table app.idempotency_keys alter column created_at set default 'infinity';
