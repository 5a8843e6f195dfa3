import type { Breakage } from './breakage.ts';

export const tablesAndColumns: readonly Breakage[] = [
  {
    title: 'a default for the client of a site',
    lets: 'a site without a client becomes ACME’s',
    make: `alter table public.sites alter column client_id set default 'c1000000-0000-4000-8000-000000000001'`,
    by: 'owner',
  },
  {
    title: 'claims begin as SUBMITTED',
    lets: 'a claim skips the review, and nobody submitted it',
    make: `alter table public.reclamations alter column status set default 'SUBMITTED'`,
    by: 'owner',
  },
  {
    title: 'new users have ACME',
    lets: 'whoever is stored without a list reads ACME',
    make: `alter table public.users alter column client_access set default '{c1000000-0000-4000-8000-000000000001}'`,
    by: 'owner',
  },
  {
    title: 'records of grants are dated in 2000',
    lets: 'the audit log says that a client was granted long ago',
    make: `alter table public.audit_logs alter column created_at set default '2000-01-01'`,
    by: 'owner',
  },
  {
    title: 'the audit log unlogged, for speed',
    lets: 'a crash empties it',
    make: 'alter table public.audit_logs set unlogged',
    by: 'owner',
  },
  {
    title: 'a child table of sites for the archive, open to BI logins',
    lets: 'rows put there are read past every policy of sites, and appear among the sites',
    make: `create table public.sites_archive () inherits (public.sites);
           grant select on public.sites_archive to taxclaims_reporting`,
    by: 'owner',
  },
  {
    title: 'a generated column that repeats the hash under an innocent name',
    lets: 'clients read password hashes',
    make: `alter table public.users add column badge text generated always as (password_hash) stored;
           grant select (badge) on public.users to taxclaims_client`,
    by: 'owner',
  },
  {
    title: 'a column for the firm’s remarks, shown to clients and BI logins',
    lets: 'a client reads what the firm says of it',
    make: `alter table public.clients add column remarks text;
           grant select (remarks) on public.clients to taxclaims_client, taxclaims_reporting`,
    by: 'owner',
  },
  {
    title: 'who moved a claim is cut to 63 bytes, as type name',
    lets: 'two long subjects look alike in the history',
    make: 'alter table public.reclamation_history alter column actor type name',
    by: 'owner',
  },
  {
    title: 'the two statuses of the history change names',
    lets: 'the history tells every move backwards',
    make: `alter table public.reclamation_history rename from_status to was;
           alter table public.reclamation_history rename to_status to from_status;
           alter table public.reclamation_history rename was to to_status`,
    by: 'owner',
  },
  {
    title: 'the client of a claim may be null',
    lets: 'a claim without a client escapes the pair with its site',
    make: 'alter table public.reclamations alter column client_id drop not null',
    by: 'owner',
  },
  {
    title: 'the client of a site may be null, on a table whose policies ask for it',
    lets: 'rows that nobody sees and no cascade takes along',
    make: 'alter table public.factures alter column client_id drop not null',
    by: 'owner',
  },
  {
    title: 'the digest of rights is no longer generated',
    lets: 'a user’s rights change and the digest stays: old tokens go on',
    make: `alter table public.users alter column access_digest drop expression;
           alter table public.users alter column access_digest set default ''`,
    by: 'owner',
  },
  {
    title: 'the deadline of a claim is counted otherwise',
    lets: 'everybody is told four years too many',
    make: `alter table public.reclamations alter column claim_deadline
             set expression as (make_date(extract(year from collection_date)::integer + 5, 12, 31))`,
    by: 'owner',
    since: 17,
  },
  {
    title: 'the deadline of a claim is no longer generated',
    lets: 'new claims have no deadline',
    make: 'alter table public.reclamations alter column claim_deadline drop expression',
    by: 'owner',
  },
  {
    title: 'a table of app belongs to the API’s role',
    lets: 'the login of the API, who may become it, turns its row-level security off',
    make: 'alter table app.content_removals owner to taxclaims_api',
  },
  {
    title: 'partners belong to the definer',
    lets: 'a function of the house alters the table',
    make: 'alter table public.partners owner to taxclaims_definer',
  },
  {
    title: 'schema app belongs to administrators',
    lets: 'a request of an ADMIN drops or makes functions there',
    make: 'alter schema app owner to taxclaims_admin',
  },
  {
    title: 'a view of reporting that runs as the superuser',
    lets: 'BI logins read the sites of all tenants',
    make: `alter view reporting.sites set (security_invoker = off);
           do $$ begin execute format('alter view reporting.sites owner to %I', current_user); end $$`,
  },
  {
    title: 'a view of reporting with the hash as one more column',
    lets: 'BI logins read password hashes',
    make: `create or replace view reporting.users with (security_invoker) as
             select u.id, u.email, u.name, u.role, u.is_active, u.created_at, u.updated_at, u.password_hash
               from public.users as u;
           grant select (password_hash) on public.users to taxclaims_reporting`,
    by: 'owner',
  },
  {
    title: 'a view of reporting with a union of other rows',
    lets: 'BI logins read the partners of all tenants from a copy',
    make: `create table reporting.partners_copy as table public.partners;
           grant select on reporting.partners_copy to taxclaims_reporting;
           create or replace view reporting.partners with (security_invoker) as
             select p.id, p.name, p.siret, p.contact_email, p.phone, p.address, p.commission_rate, p.created_at, p.updated_at
               from public.partners as p
             union all
             select c.id, c.name, c.siret, c.contact_email, c.phone, c.address, c.commission_rate, c.created_at, c.updated_at
               from reporting.partners_copy as c`,
  },
  {
    title: 'a view of reporting that hides the last year',
    lets: 'reports leave out what they must show',
    make: `create or replace view reporting.sites with (security_invoker) as
             select s.id, s.client_id, s.site_name, s.address, s.created_at, s.updated_at
               from public.sites as s where s.created_at < date '2026-01-01'`,
    by: 'owner',
  },
  {
    title: 'the audit log in a tablespace of a scratch disk',
    lets: 'it goes with that disk',
    make: [
      'set allow_in_place_tablespaces = on',
      `create tablespace scratch location ''`,
      'alter table public.audit_logs set tablespace scratch',
    ],
    undo: ['alter table public.audit_logs set tablespace pg_default', 'drop tablespace scratch'],
  },
  {
    title: 'a view in the place of the history of claims',
    lets: 'clients read the history of all tenants, but for what was withdrawn',
    make: `alter table public.reclamation_history rename to reclamation_history_rows;
           create view public.reclamation_history as
             select * from public.reclamation_history_rows where to_status <> 'WITHDRAWN';
           grant select, insert on public.reclamation_history to taxclaims_definer;
           grant select on public.reclamation_history to taxclaims_client`,
  },
  {
    title: 'kept answers are dated at the end of time',
    lets: 'bodies with the rows of tenants stay for ever, past their 24 hours',
    make: `alter table app.idempotency_keys alter column created_at set default 'infinity'`,
    by: 'owner',
  },
];
