/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- the key of a claim’s site without the client | a claim of one client stands on another’s site | by owner
alter table public.reclamations drop constraint reclamations_site_of_client;
alter table public.reclamations add constraint reclamations_site_of_client
  foreign key (site_id) references public.sites (id) on delete cascade;
-- the key of a claim’s site, made again and not validated | claims that stand on foreign sites already stay there | by owner
alter table public.reclamations drop constraint reclamations_site_of_client;
alter table public.reclamations add constraint reclamations_site_of_client
  foreign key (site_id, client_id) references public.sites (id, client_id) on delete cascade not valid;
-- a check made again and not validated | issued invoices without a number stay unseen | by owner
alter table public.factures drop constraint factures_numbered_when_issued;
alter table public.factures add constraint factures_numbered_when_issued
  check ((status = 'DRAFT') = (number is null)) not valid;
-- a check of the same name that checks nothing | a user is stored with a role that no policy knows | by owner
alter table public.users drop constraint users_role_known;
alter table public.users add constraint users_role_known check (role <> '');
-- the form of hashes is not checked | a password is stored in clear | by owner
alter table public.users drop constraint users_password_hashed;
-- numbers of invoices are not unique: a plain index of the same name | two invoices have one number | by owner
alter table public.factures drop constraint factures_number_key;
create index factures_number_key on public.factures (number);
-- numbers of invoices are unique but for the cancelled | a number of a cancelled invoice is given again | by owner
alter table public.factures drop constraint factures_number_key;
create unique index factures_number_key on public.factures (number) where status <> 'CANCELLED';
-- a subject is unique for its email alone | one token is two users, and which one is chance | by owner
alter table public.users drop constraint users_subject_key;
alter table public.users add constraint users_subject_key unique (subject, email);
-- emails are unique as written | Tom@ and tom@ are two users, and a login takes either | by owner
drop index public.users_email_key;
create unique index users_email_key on public.users (email);
-- a partner goes with its links | an ADMIN with a list deletes a partner from under another tenant | by owner
alter table public.client_partners drop constraint client_partners_partner_id_fkey;
alter table public.client_partners add constraint client_partners_partner_id_fkey
  foreign key (partner_id) references public.partners (id) on delete cascade;
-- the foreign key of a claim’s site is not enforced | a claim of one client stands on another’s site | by owner | since 18
alter table public.reclamations alter constraint reclamations_site_of_client not enforced;
-- a check is not enforced | more is granted for a claim than was asked | by owner | since 18
alter table public.reclamations drop constraint reclamations_granted_amount_range;
alter table public.reclamations add constraint reclamations_granted_amount_range
  check (granted_amount between 0 and amount) not enforced;
-- a check with room | a partner’s bill adds up to anything | by owner
alter table public.partner_invoices drop constraint partner_invoices_sum;
alter table public.partner_invoices add constraint partner_invoices_sum
  check (abs(amount_incl_tax - amount_excl_tax - vat_amount) < 1000);
-- an index whose function keeps what it is given | every email that is stored is copied into a table for BI logins
create schema tools; grant usage on schema tools to public;
create table tools.seen_emails (email text);
grant select on tools.seen_emails to taxclaims_reporting;
create function tools.seen(email text) returns text language sql immutable return email;
create index users_seen on public.users (tools.seen(email));
create or replace function tools.seen(email text) returns text language plpgsql volatile security definer as $$
begin insert into tools.seen_emails values (email); return email; end $$;
grant execute on function tools.seen(text) to public;
-- names of sites are unique over all clients | a refusal tells one tenant that another has a site of that name | by owner
alter table public.sites add constraint sites_name_unique unique (site_name);
-- an exclusion over all clients | a claim of one tenant keeps another’s out, and tells of it | by owner
alter table public.reclamations add constraint reclamations_one_notice
exclude using btree (notice_reference with =);
-- two documents may have one content | deleting one document takes the content of another tenant’s | by owner
alter table public.documents drop constraint documents_file_path_key;
-- kept answers have no key | two requests with one key both create | by owner
alter table app.idempotency_keys drop constraint idempotency_keys_pkey;
-- the key from the history to its claim is gone | moves of claims that never were, or of another client’s, are kept | by owner
alter table public.reclamation_history drop constraint reclamation_history_reclamation_of_client;
-- an index over a part of the hash | the owner, who sees no row, reads hashes in pg_stats: an index has no row-level security
create index users_hash on public.users (substr(password_hash, 8)); analyze public.users;
