import type { Breakage } from './breakage.ts';

export const policies: readonly Breakage[] = [
  {
    title: 'one more policy, so that clients find every site',
    lets: 'each tenant reads the sites of all',
    make: 'create policy sites_select_client on public.sites for select to taxclaims_client using (true)',
    by: 'owner',
  },
  {
    title: 'closed claims are shown to all',
    lets: 'each tenant reads the closed claims of others',
    make: `alter policy reclamations_select_tenant on public.reclamations
             using (client_id = any ((select app.client_access())::uuid[]) or status = 'CLOSED')`,
    by: 'owner',
  },
  {
    title: 'administrators with a list delete any client',
    lets: 'a scoped ADMIN deletes another tenant and its claims',
    make: 'alter policy clients_delete_tenant on public.clients using (true)',
    by: 'owner',
  },
  {
    title: 'a policy made again under its name for all commands',
    lets: 'a scoped ADMIN also reads users who share no client with it',
    make: `drop policy users_update_scoped_admin on public.users;
           create policy users_update_scoped_admin on public.users for all to taxclaims_scoped_admin
             using (client_access <@ (select app.client_access())::uuid[] and (role <> 'ADMIN' or client_access <> '{}'))
             with check (client_access <@ (select app.client_access())::uuid[] and (role <> 'ADMIN' or client_access <> '{}'))`,
    by: 'owner',
  },
  {
    title: 'sites may be inserted for any client',
    lets: 'a tax specialist writes into another tenant',
    make: 'alter policy sites_insert_tenant on public.sites with check (true)',
    by: 'owner',
  },
  {
    title: 'records without a client are shown to administrators with a list',
    lets: 'a scoped ADMIN reads refusals and changes of users and partners of the whole firm',
    make: `alter policy audit_logs_select_tenant on public.audit_logs
             using (coalesce(client_context = any ((select app.client_access())::uuid[]), true))`,
    by: 'owner',
  },
  {
    title: 'the auditors’ policy on grants names BI logins too',
    lets: 'a BI login learns which logins have which clients',
    make: 'alter policy grants_select_auditor on reporting.grants to taxclaims_auditor, taxclaims_reporting',
    by: 'owner',
  },
  {
    title: 'reporting goes by application_name',
    lets: 'a BI login reads any login’s clients by naming it in its connection',
    make: `alter policy clients_select_reporting on public.clients using (
             id = any ((select array(select g.client_id from reporting.grants as g
                                      where g.login = current_setting('application_name')))::uuid[]))`,
    by: 'owner',
  },
  {
    title: 'every document for reporting, as the query was slow',
    lets: 'a BI login reads the names of all documents of all tenants',
    make: 'alter policy documents_select_reporting on public.documents using (true)',
    by: 'owner',
  },
  {
    title: 'grants hold by name alone',
    lets: 'a login that is made again under a dropped one’s name has its clients',
    make: 'alter policy grants_select_reporting on reporting.grants using (login = session_user)',
    by: 'owner',
  },
  {
    title: 'BI logins may grant themselves clients',
    lets: 'a BI login reads whatever client it names',
    make: `grant insert (login, client_id) on reporting.grants to taxclaims_reporting;
           create policy grants_insert_self on reporting.grants for insert to taxclaims_reporting
             with check (login = session_user)`,
  },
  {
    title: 'row-level security off for partners',
    lets: 'every tenant reads and changes every partner',
    make: 'alter table public.partners disable row level security',
    by: 'owner',
  },
  {
    title: 'not forced for users any more',
    lets: 'whoever becomes the owner reads every user and hash',
    make: 'alter table public.users no force row level security',
    by: 'owner',
  },
  {
    title: 'a door for support: a setting that opens claims',
    lets: 'whoever can run SQL as a tenant sets it and reads all claims',
    make: `create policy reclamations_support on public.reclamations for select to taxclaims_client
             using (current_setting('app.support', true) = 'on')`,
    by: 'owner',
  },
  {
    title: 'a policy for PUBLIC on kept answers',
    lets: 'no policy holds the functions of the house any more, which may give back or change any answer',
    make: 'create policy idempotency_keys_all on app.idempotency_keys using (true) with check (true)',
    by: 'owner',
  },
  {
    title: 'the owner sees clients, "for psql"',
    lets: 'a member of the owner’s role reads business rows, which it must not',
    make: 'create policy clients_all_owner on public.clients to taxclaims_owner using (true) with check (true)',
    by: 'owner',
  },
  {
    title: 'auditors see what succeeded too',
    lets: 'an auditor reads what the tenants do',
    make: 'alter policy audit_logs_select_auditor on public.audit_logs using (success or not success)',
    by: 'owner',
  },
  {
    title: 'all-clients policy given to BI logins in general',
    lets: 'every BI login reads the users of the whole firm',
    make: 'alter policy users_select_reporting_all on public.users to taxclaims_reporting, taxclaims_reporting_all',
    by: 'owner',
  },
];
