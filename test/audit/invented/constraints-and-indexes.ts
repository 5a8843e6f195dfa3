import type { Breakage } from './breakage.ts';

export const constraintsAndIndexes: readonly Breakage[] = [
  {
    title: 'the key of a claim’s site without the client',
    lets: 'a claim of one client stands on another’s site',
    make: `alter table public.reclamations drop constraint reclamations_site_of_client;
           alter table public.reclamations add constraint reclamations_site_of_client
             foreign key (site_id) references public.sites (id) on delete cascade`,
    by: 'owner',
  },
  {
    title: 'the key of a claim’s site, made again and not validated',
    lets: 'claims that stand on foreign sites already stay there',
    make: `alter table public.reclamations drop constraint reclamations_site_of_client;
           alter table public.reclamations add constraint reclamations_site_of_client
             foreign key (site_id, client_id) references public.sites (id, client_id) on delete cascade not valid`,
    by: 'owner',
  },
  {
    title: 'a check made again and not validated',
    lets: 'issued invoices without a number stay unseen',
    make: `alter table public.factures drop constraint factures_numbered_when_issued;
           alter table public.factures add constraint factures_numbered_when_issued
             check ((status = 'DRAFT') = (number is null)) not valid`,
    by: 'owner',
  },
  {
    title: 'a check of the same name that checks nothing',
    lets: 'a user is stored with a role that no policy knows',
    make: `alter table public.users drop constraint users_role_known;
           alter table public.users add constraint users_role_known check (role <> '')`,
    by: 'owner',
  },
  {
    title: 'the form of hashes is not checked',
    lets: 'a password is stored in clear',
    make: 'alter table public.users drop constraint users_password_hashed',
    by: 'owner',
  },
  {
    title: 'numbers of invoices are not unique: a plain index of the same name',
    lets: 'two invoices have one number',
    make: `alter table public.factures drop constraint factures_number_key;
           create index factures_number_key on public.factures (number)`,
    by: 'owner',
  },
  {
    title: 'numbers of invoices are unique but for the cancelled',
    lets: 'a number of a cancelled invoice is given again',
    make: `alter table public.factures drop constraint factures_number_key;
           create unique index factures_number_key on public.factures (number) where status <> 'CANCELLED'`,
    by: 'owner',
  },
  {
    title: 'a subject is unique for its email alone',
    lets: 'one token is two users, and which one is chance',
    make: `alter table public.users drop constraint users_subject_key;
           alter table public.users add constraint users_subject_key unique (subject, email)`,
    by: 'owner',
  },
  {
    title: 'emails are unique as written',
    lets: 'Tom@ and tom@ are two users, and a login takes either',
    make: `drop index public.users_email_key;
           create unique index users_email_key on public.users (email)`,
    by: 'owner',
  },
  {
    title: 'a partner goes with its links',
    lets: 'an ADMIN with a list deletes a partner from under another tenant',
    make: `alter table public.client_partners drop constraint client_partners_partner_id_fkey;
           alter table public.client_partners add constraint client_partners_partner_id_fkey
             foreign key (partner_id) references public.partners (id) on delete cascade`,
    by: 'owner',
  },
  {
    title: 'the foreign key of a claim’s site is not enforced',
    lets: 'a claim of one client stands on another’s site',
    make: 'alter table public.reclamations alter constraint reclamations_site_of_client not enforced',
    by: 'owner',
    since: 18,
  },
  {
    title: 'a check is not enforced',
    lets: 'more is granted for a claim than was asked',
    make: `alter table public.reclamations drop constraint reclamations_granted_amount_range;
           alter table public.reclamations add constraint reclamations_granted_amount_range
             check (granted_amount between 0 and amount) not enforced`,
    by: 'owner',
    since: 18,
  },
  {
    title: 'a check with room',
    lets: 'a partner’s bill adds up to anything',
    make: `alter table public.partner_invoices drop constraint partner_invoices_sum;
           alter table public.partner_invoices add constraint partner_invoices_sum
             check (abs(amount_incl_tax - amount_excl_tax - vat_amount) < 1000)`,
    by: 'owner',
  },
  {
    title: 'an index whose function keeps what it is given',
    lets: 'every email that is stored is copied into a table for BI logins',
    make: `create schema tools; grant usage on schema tools to public;
           create table tools.seen_emails (email text);
           grant select on tools.seen_emails to taxclaims_reporting;
           create function tools.seen(email text) returns text language sql immutable return email;
           create index users_seen on public.users (tools.seen(email));
           create or replace function tools.seen(email text) returns text language plpgsql volatile security definer as $$
           begin insert into tools.seen_emails values (email); return email; end $$;
           grant execute on function tools.seen(text) to public`,
  },
  {
    title: 'names of sites are unique over all clients',
    lets: 'a refusal tells one tenant that another has a site of that name',
    make: 'alter table public.sites add constraint sites_name_unique unique (site_name)',
    by: 'owner',
  },
  {
    title: 'an exclusion over all clients',
    lets: 'a claim of one tenant keeps another’s out, and tells of it',
    make: `alter table public.reclamations add constraint reclamations_one_notice
             exclude using btree (notice_reference with =)`,
    by: 'owner',
  },
  {
    title: 'two documents may have one content',
    lets: 'deleting one document takes the content of another tenant’s',
    make: 'alter table public.documents drop constraint documents_file_path_key',
    by: 'owner',
  },
  {
    title: 'kept answers have no key',
    lets: 'two requests with one key both create',
    make: 'alter table app.idempotency_keys drop constraint idempotency_keys_pkey',
    by: 'owner',
  },
  {
    title: 'the key from the history to its claim is gone',
    lets: 'moves of claims that never were, or of another client’s, are kept',
    make: 'alter table public.reclamation_history drop constraint reclamation_history_reclamation_of_client',
    by: 'owner',
  },
  {
    title: 'an index over a part of the hash',
    lets: 'the owner, who sees no row, reads hashes in pg_stats: an index has no row-level security',
    make: 'create index users_hash on public.users (substr(password_hash, 8)); analyze public.users',
  },
];
