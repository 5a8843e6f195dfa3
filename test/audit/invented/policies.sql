/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- one more policy, so that clients find every site | each tenant reads the sites of all | by owner
create policy sites_select_client on public.sites for select to taxclaims_client using (true);
-- closed claims are shown to all | each tenant reads the closed claims of others | by owner
alter policy reclamations_select_tenant on public.reclamations
using (client_id = any ((select app.client_access())::uuid[]) or status = 'CLOSED');
-- administrators with a list delete any client | a scoped ADMIN deletes another tenant and its claims | by owner
alter policy clients_delete_tenant on public.clients using (true);
-- a policy made again under its name for all commands | a scoped ADMIN also reads users who share no client with it | by owner
drop policy users_update_scoped_admin on public.users;
create policy users_update_scoped_admin on public.users for all to taxclaims_scoped_admin
  using (client_access <@ (select app.client_access())::uuid[] and (role <> 'ADMIN' or client_access <> '{}'))
  with check (client_access <@ (select app.client_access())::uuid[] and (role <> 'ADMIN' or client_access <> '{}'));
-- sites may be inserted for any client | a tax specialist writes into another tenant | by owner
alter policy sites_insert_tenant on public.sites with check (true);
-- records without a client are shown to administrators with a list | a scoped ADMIN reads refusals and changes of users and partners of the whole firm | by owner
alter policy audit_logs_select_tenant on public.audit_logs
using (coalesce(client_context = any ((select app.client_access())::uuid[]), true));
-- the auditors’ policy on grants names BI logins too | a BI login learns which logins have which clients | by owner
alter policy grants_select_auditor on reporting.grants to taxclaims_auditor, taxclaims_reporting;
-- reporting goes by application_name | a BI login reads any login’s clients by naming it in its connection | by owner
alter policy clients_select_reporting on public.clients using (
id = any ((select array(select g.client_id from reporting.grants as g
                         where g.login = current_setting('application_name')))::uuid[]));
-- every document for reporting, as the query was slow | a BI login reads the names of all documents of all tenants | by owner
alter policy client_documents_select_reporting on app.client_documents using (true);
-- grants hold by name alone | a login that is made again under a dropped one’s name has its clients | by owner
alter policy grants_select_reporting on reporting.grants using (login = session_user);
-- BI logins may grant themselves clients | a BI login reads whatever client it names
grant insert (login, client_id) on reporting.grants to taxclaims_reporting;
create policy grants_insert_self on reporting.grants for insert to taxclaims_reporting
  with check (login = session_user);
-- row-level security off for partners | every tenant reads and changes every partner | by owner
alter table public.partners disable row level security;
-- not forced for users any more | whoever becomes the owner reads every user and hash | by owner
alter table public.users no force row level security;
-- a door for support: a setting that opens claims | whoever can run SQL as a tenant sets it and reads all claims | by owner
create policy reclamations_support on public.reclamations for select to taxclaims_client
using (current_setting('app.support', true) = 'on');
-- a policy for PUBLIC on kept answers | no policy holds the functions of the house any more, which may give back or change any answer | by owner
create policy idempotency_keys_all on app.idempotency_keys using (true) with check (true);
-- the owner sees clients, "for psql" | a member of the owner’s role reads business rows, which it must not | by owner
create policy clients_all_owner on public.clients to taxclaims_owner using (true) with check (true);
-- auditors see what succeeded too | an auditor reads what the tenants do | by owner
alter policy audit_logs_select_auditor on public.audit_logs using (success or not success);
-- all-clients policy given to BI logins in general | every BI login reads the users of the whole firm | by owner
alter policy users_select_reporting_all on public.users to taxclaims_reporting, taxclaims_reporting_all;
