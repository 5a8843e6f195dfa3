/* The file under db/audit/findings/ that must notice | what is wrong, as somebody would do it by hand | the object that it names. */

-- rls_disabled | a table without row-level security | public.sites
alter table public.sites disable row level security;
-- rls_not_forced | a table whose owner is not held | public.sites
alter table public.sites no force row level security;
-- table_without_policies | a table without policies | public.added
set local role taxclaims_owner; create table public.added (id integer); alter table public.added enable row level security;
alter table public.added force row level security; reset role;
-- policy_to_public | a policy for everybody | added on public.client_partners
create policy added on public.client_partners for update using (client_id is null) with check (client_id is null);
-- policy_constant_true | a policy that is true | added on public.client_partners to taxclaims_client
create policy added on public.client_partners for update to taxclaims_client using (true) with check (client_id is null);
-- policy_constant_true | a check that is true | added on public.client_partners to taxclaims_client
create policy added on public.client_partners for update to taxclaims_client using (client_id is null) with check (true);
-- policy_constant_true | a policy meant for administrators, given to others too | sites_select_admin on public.sites to taxclaims_admin, taxclaims_auditor
alter policy sites_select_admin on public.sites to taxclaims_admin, taxclaims_auditor;
-- policy_ignores_row | a policy that is true in disguise | added on public.client_partners to taxclaims_client
create policy added on public.client_partners for update to taxclaims_client using (1 = 1) with check (length('x') = 1);
-- policy_ignores_row | a policy that is true in disguise, of whom one that says so is excused | sites_select_admin on public.sites to taxclaims_admin
alter policy sites_select_admin on public.sites using (1 = 1);
-- write_without_check | an update policy without a check | added on public.client_partners
create policy added on public.client_partners for update to taxclaims_client using (client_id is null);
-- only_restrictive | a restrictive policy with nothing to restrict | update of public.client_partners by taxclaims_scoped_admin
create policy added on public.client_partners as restrictive for update to taxclaims_scoped_admin
using (client_id is null) with check (client_id is null);
-- several_permissive | a second permissive policy for a role and command | delete of public.sites by taxclaims_scoped_admin
create policy added on public.sites for delete to taxclaims_scoped_admin using (client_id is null);
-- setting_read_per_row | a setting that is read for every row | sites_select_tenant on public.sites
alter policy sites_select_tenant on public.sites using (client_id = any (app.client_access()));
-- reporting_reads_setting | a policy for reporting that listens to a setting through a function of the house | sites_select_reporting on public.sites
alter policy sites_select_reporting on public.sites using (client_id = any ((select app.client_access())::uuid[]));
-- reporting_reads_setting | a policy for reporting that listens to a setting by itself | sites_select_reporting on public.sites
alter policy sites_select_reporting on public.sites
using (client_id = (select current_setting('app.client', true))::uuid);
-- helper_not_stable | a helper that is immutable | app.client_access()
alter function app.client_access() immutable;
-- helper_not_stable | a helper that is volatile | app.user_id()
alter function app.user_id() volatile;
-- policy_column_without_index | a policy without an index | public.sites.client_id
drop index public.sites_client_id_idx;
-- foreign_key_across_tenants | a foreign key that forgets the client | added on public.factures
alter table public.factures add constraint added foreign key (reclamation_id) references public.reclamations (id);
-- foreign_key_across_tenants | a foreign key that has the client in it, and compares it with something else | added on public.factures
alter table public.factures add constraint added
foreign key (reclamation_id, client_id) references public.reclamations (client_id, id);
-- view_without_invoker | a view that reads as its owner | public.added
set local role taxclaims_owner; create view public.added as select id from public.sites; reset role;
--> mend
alter view public.added set (security_invoker = true);
-- view_without_invoker | a view that reads as its owner, through another | public.added
set local role taxclaims_owner; create view public.inner with (security_invoker) as select id from public.sites;
create view public.added as select id from public.inner; reset role;
--> mend
alter view public.added set (security_invoker = true);
-- copy_within_reach | a materialized view | public.added
set local role taxclaims_owner; create materialized view public.added as select id from public.sites; reset role;
-- copy_within_reach | a foreign table within reach | elsewhere.added
create schema elsewhere; create foreign data wrapper w; create server s foreign data wrapper w;
create foreign table elsewhere.added (id integer) server s; grant select on elsewhere.added to taxclaims_reporting;
--> mend
revoke select on elsewhere.added from taxclaims_reporting;
-- definer_search_path | a definer function that looks names up | app.locate(text,uuid)
alter function app.locate(text, uuid) reset search_path;
-- definer_search_path | a definer function on a named path, which a temporary table shadows | app.locate(text,uuid)
alter function app.locate(text, uuid) set search_path = app;
-- definer_within_reach | a definer function for everybody | app.locate(text,uuid)
grant execute on function app.locate(text, uuid) to public;
-- definer_within_reach | a definer function for reporting | app.locate(text,uuid)
grant execute on function app.locate(text, uuid) to taxclaims_reporting;
-- foreign_owner | a table of somebody else’s | table public.sites
create role test_stranger; alter table public.sites owner to test_stranger;
-- large_objects | large objects for everybody | lo_create(oid)
grant execute on function pg_catalog.lo_create(oid) to public;
-- advisory_locks | locks of their own for everybody | pg_advisory_lock_shared(bigint)
grant execute on function pg_catalog.pg_advisory_lock_shared(bigint) to public;
-- published_table | a table that is sent out | added
create publication added for table public.sites;
-- server_with_known_holes | a server that lacks a repair | server
create or replace view audit.server_fixes as
select current_setting('server_version_num')::integer / 10000 * 10000 + 9999 as fixed_in, 'a hole' as hole;
--> mend
create or replace view audit.server_fixes as select 150000 as fixed_in, 'a hole' as hole;
-- login_reaches_privilege | a login that becomes BYPASSRLS by way of a role it does not inherit | test_bi
create role test_bi login in role taxclaims_reporting; create role test_strong bypassrls; create role test_middle noinherit in role test_strong;
grant test_middle to test_bi;
-- login_reaches_privilege | a login that reads the files of the server | test_bi
create role test_bi login in role taxclaims_reporting; grant pg_read_server_files to test_bi;
-- login_reaches_house_role | a reporting login that becomes a request role | test_bi
create role test_bi login in role taxclaims_reporting; grant taxclaims_client to test_bi;
-- login_reaches_house_role | a login of the API that has a request role’s rights without becoming it | test_api
create role test_api login in role taxclaims_api; grant taxclaims_client to test_api;
-- login_reaches_house_role | a login that becomes the owner | test_bi
create role test_bi login in role taxclaims_reporting; grant taxclaims_owner to test_bi;
-- login_reaches_house_role | a login of the API that has all clients of reporting beside its requests | test_api
create role test_api login in role taxclaims_api; grant taxclaims_reporting_all to test_api;
-- login_reaches_house_role | a reporting login that was given all clients by hand, without a record | test_bi
create role test_bi login in role taxclaims_reporting; grant taxclaims_reporting_all to test_bi;
--> mend
revoke taxclaims_reporting_all from test_bi; select reporting.grant_all_clients('test_bi');
-- login_reaches_house_role | a reporting login that has all clients by way of another role | test_bi
create role test_bi login in role taxclaims_reporting; create role test_team in role taxclaims_reporting_all; grant test_team to test_bi;
-- login_reaches_house_role | a reporting login that may give all clients to others | test_bi
create role test_bi login in role taxclaims_reporting; select reporting.grant_all_clients('test_bi');
grant taxclaims_reporting_all to test_bi with admin option granted by taxclaims_definer;
-- house_role_changed | a group whose every login has all clients | taxclaims_reporting_few
grant taxclaims_reporting_all to taxclaims_reporting_few;
-- house_role_changed | a privileged role of the house | taxclaims_auditor
alter role taxclaims_auditor createdb;
-- house_role_changed | a role of the house in a role of the server | taxclaims_reporting
grant pg_monitor to taxclaims_reporting;
-- api_inherits | an API that need not become what it may become | taxclaims_api
do $$ begin
  if current_setting('server_version_num')::integer < 160000 then execute 'alter role taxclaims_api inherit';
  else execute 'grant taxclaims_client to taxclaims_api with inherit true'; end if;
end $$;
-- api_holds_rights | an API that reads a table outside a request | public.sites
grant select on public.sites to taxclaims_api;
-- table_wide_grant | SELECT of whatever columns a table will have, held by client | public.cadastres
grant SELECT on public.cadastres to taxclaims_client;
-- table_wide_grant | SELECT of whatever columns a table will have, held by reporting | public.cadastres
grant SELECT on public.cadastres to taxclaims_reporting;
-- table_wide_grant | SELECT of whatever columns a table will have, held by definer | public.cadastres
grant SELECT on public.cadastres to taxclaims_definer;
-- table_wide_grant | INSERT of whatever columns a table will have, held by account_manager | public.cadastres
grant INSERT on public.cadastres to taxclaims_account_manager;
-- table_wide_grant | UPDATE of whatever columns a table will have, held by admin | public.cadastres
grant UPDATE on public.cadastres to taxclaims_admin;
-- privilege_beyond_policies | TRUNCATE in a request’s hands | public.sites
grant TRUNCATE on public.sites to taxclaims_admin;
-- privilege_beyond_policies | REFERENCES in a request’s hands | public.sites
grant REFERENCES on public.sites to taxclaims_admin;
-- privilege_beyond_policies | TRIGGER in a request’s hands | public.sites
grant TRIGGER on public.sites to taxclaims_admin;
-- create_or_temp | a schema in which others create | schema app
grant create on schema app to taxclaims_definer;
-- create_or_temp | temporary tables for everybody | database this database
grant temporary on database :"DBNAME" to public;
-- rights_outside_house | a right of a role from elsewhere | test_stranger
create role test_stranger; grant select (site_name) on public.sites to test_stranger;
-- rights_outside_house | a policy for a role from elsewhere | added on public.documents
create role test_stranger;
create policy added on public.documents for update to test_stranger using (id is null) with check (id is null);
-- secret_readable | a readable password hash | public.users.password_hash
grant select (password_hash) on public.users to taxclaims_admin;
-- secret_readable | a document’s path within reach of reporting | public.documents.file_path
grant select (file_path) on public.documents to taxclaims_reporting;
-- durability_off | a role whose commits are acknowledged before they are kept | synchronous_commit of taxclaims_client
alter role taxclaims_client set synchronous_commit = false;
-- durability_off | a database whose commits are acknowledged before they are kept | synchronous_commit of every role
alter database :"DBNAME" set synchronous_commit = off;
-- durability_off | a role whose commits wait for no standby | synchronous_commit of taxclaims_client
alter role taxclaims_client set synchronous_commit = local;
-- durability_off | a database whose commits wait for no standby to keep them | synchronous_commit of every role
alter database :"DBNAME" set synchronous_commit = Remote_Write;
-- durability_off | a server on which no login’s commits are kept before they are acknowledged | synchronous_commit of every role
alter role all set synchronous_commit = off;
-- setting_stored | a role that starts with clients | taxclaims_client
alter role taxclaims_client set app.client_access = '{}';
-- identity_change_undelivered | a change of rights that the identity provider does not know for a day | public.identity_changes
insert into public.users (id, email, password_hash, name, role, subject)
values ('e0000000-0000-4000-8000-0000000000d1', 'late@b.example', '!', 'Late', 'CLIENT', 'late');
insert into public.identity_changes (user_id, actor, role, client_access, is_active, ends_tokens, created_at)
values ('e0000000-0000-4000-8000-0000000000d1', 'x', 'CLIENT', '{}', true, true, now() - interval '25 hours'),
    ('e0000000-0000-4000-8000-0000000000d1', 'x', 'CLIENT', '{}', true, true, now() - interval '1 hour');
--> mend
update public.identity_changes set delivered_at = now() where created_at < now();
-- reminder_unsent | a user who has waited for a reminder by mail for a day | app.reminders
insert into public.users (id, email, password_hash, name, role)
values ('e0000000-0000-4000-8000-0000000000d2', 'unreminded@b.example', '!', 'Unreminded', 'CLIENT');
insert into app.reminders (user_id, day, told_until, waits_since)
values ('e0000000-0000-4000-8000-0000000000d2', current_date, current_date - 1, now() - interval '25 hours');
--> mend
update app.reminders set state = 'SENT', ended_at = now();
-- audit_month_differs | a month of the audit log that holds nobody | audit_log.month_
do $$ begin execute replace('alter table MONTH no force row level security', 'MONTH', (
    select max(relid::text) from pg_partition_tree('audit_log.months') where relid::text ~ 'month_'
)); end $$;
-- audit_month_missing | a month that was taken out by hand | audit_log.months
do $$ begin execute 'drop table audit_log.month_'
|| to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYY_MM'); end $$;
--> mend
select app.tend_audit_log();
-- audit_month_lost | records of the audit log that were taken away past the triggers | audit log of 
insert into public.audit_logs (action, resource_type, success, actor, created_at)
select 'GET /x', 'sites', false, 'counted', now() - n * interval '1 day' from generate_series(1, 5) as n;
select app.count_audit_days(); set local session_replication_role = replica; delete from public.audit_logs where created_at < now() - interval '100 hours'; set local session_replication_role = origin;
--> mend
select audit.accept('audit_month_lost', f.object, 'tried') from audit.finding_audit_month_lost as f;
-- audit_month_lost | counts of the audit log that were taken away past the triggers | app.audit_days
insert into public.audit_logs (action, resource_type, success, actor, created_at)
select 'GET /x', 'sites', false, 'counted', now() - n * interval '1 day' from generate_series(1, 5) as n;
select app.count_audit_days(); set local session_replication_role = replica; delete from app.audit_days where day = (now() at time zone 'UTC')::date - 4; set local session_replication_role = origin;
--> mend
select audit.accept('audit_month_lost', 'app.audit_days', 'tried');
-- login_out_of_use | a login of the API that may have no connection | test_out_of_use
create role test_out_of_use login in role taxclaims_api; alter role test_out_of_use connection limit 0;
-- login_out_of_use | a login of reporting whose password is out of date | test_out_of_use
create role test_out_of_use login in role taxclaims_reporting; alter role test_out_of_use valid until '2020-01-01';
-- login_out_of_use | a login of the API whose statements end at once | test_out_of_use
create role test_out_of_use login in role taxclaims_api; alter role test_out_of_use set statement_timeout = 1;
-- login_out_of_use | an auditor who waits for no lock | test_out_of_use
create role test_out_of_use login in role taxclaims_auditor; alter role test_out_of_use set lock_timeout = '0.5ms';
-- login_out_of_use | a login of the API that only reads | test_out_of_use
create role test_out_of_use login in role taxclaims_api; alter role test_out_of_use set default_transaction_read_only = yes;
-- login_out_of_use | a database that lets in no login
alter database :"DBNAME" connection limit 0;
-- api_login_objection | a login of the API that can make databases, through which the service would answer 503 | test_out_of_use
create role test_out_of_use login in role taxclaims_api createdb;
-- api_login_objection | a login of the API that is in a role which nobody knows | test_out_of_use
create role test_out_of_use login in role taxclaims_api; create role test_unknown; grant test_unknown to test_out_of_use;
-- impossible_row | a claim on the site of another client | public.reclamations
:CLAIM; set local session_replication_role = replica; update public.sites set client_id = ':OTHER'; set local session_replication_role = origin;
--> mend
set local session_replication_role = replica; update public.sites set client_id = ':CLIENT'; set local session_replication_role = origin;
-- impossible_row | a document whose copy differs | app.client_documents
:CLAIM; set local session_replication_role = replica; update app.client_documents set filename = 'y'; set local session_replication_role = origin;
--> mend
set local session_replication_role = replica; update app.client_documents set filename = 'avis.txt'; set local session_replication_role = origin;
-- impossible_row | an open task of a user who does not see it | public.notes
:CLAIM; set local session_replication_role = replica;
insert into public.users (email, password_hash, name, role) values ('l@b.example', '!', 'L', 'CLIENT');
insert into public.notes (client_id, reclamation_id, author_id, text, due_on, assignee_id)
select r.client_id, r.id, u.id, 'x', '2190-01-31', u.id from public.reclamations as r, public.users as u where u.email = 'l@b.example';
set local session_replication_role = origin;
--> mend
update public.notes set assignee_id = null;
-- impossible_row | a user whose list names a client that never was | public.users
set local session_replication_role = replica; insert into public.users (email, password_hash, name, role, client_access)
values ('l@b.example', '!', 'L', 'CLIENT', '{c1000000-0000-4000-8000-0000000000f9}'); set local session_replication_role = origin;
--> mend
update public.users set client_access = '{}';
-- impossible_row | a calendar of a user whose account has ended | public.users.calendar_digest
set local session_replication_role = replica; insert into public.users (email, password_hash, name, role, is_active, calendar_digest)
values ('l@b.example', '!', 'L', 'ADMIN', false, repeat('a', 64)); set local session_replication_role = origin;
--> mend
update public.users set calendar_digest = null;
-- impossible_row | a grant to a reporting login of which the audit log does not tell | reporting.grants
:CLAIM; create role test_bi login in role taxclaims_reporting; select reporting.set_login_role('test_bi');
set local session_replication_role = replica; insert into reporting.grants (login, client_id, login_oid)
  values ('test_bi', ':CLIENT', 'test_bi'::regrole); set local session_replication_role = origin;
--> mend
select reporting.revoke_client('test_bi', ':CLIENT');
