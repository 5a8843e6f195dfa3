/*
 * What a DBA, or somebody with the rights of a DBA, does to the database | fields:
 *   finding NAME: OBJECT   audit.findings reports this finding; OBJECT may be a part of the object's name
 *   drift KIND: OBJECT     audit.drift lists this change
 *   who_can_see            audit.who_can_see says by this finding that the login test_bi sees a client
 *   others                 other findings are allowed; without it there are none, and the remedies and `mend` end the finding
 * The login test_bi is in taxclaims_reporting and has no grant. `shows TEXT`: its statements then return TEXT.
 */

-- a table without row-level security | finding rls_disabled: public.sites
alter table public.sites disable row level security;
-- a table whose owner is not held | finding rls_not_forced: public.sites
alter table public.sites no force row level security;
-- a table without policies | finding table_without_policies: public.added
set local role taxclaims_owner; create table public.added (id integer); alter table public.added enable row level security;
alter table public.added force row level security; reset role;
-- a policy for everybody | finding policy_to_public: added on public.client_partners
create policy added on public.client_partners for update using (client_id is null) with check (client_id is null);
-- a policy that is true | finding policy_constant_true: added on public.client_partners to taxclaims_client
create policy added on public.client_partners for update to taxclaims_client using (true) with check (client_id is null);
-- a check that is true | finding policy_constant_true: added on public.client_partners to taxclaims_client
create policy added on public.client_partners for update to taxclaims_client using (client_id is null) with check (true);
-- a policy meant for administrators, given to others too | finding policy_constant_true: sites_select_admin on public.sites to taxclaims_admin, taxclaims_auditor
alter policy sites_select_admin on public.sites to taxclaims_admin, taxclaims_auditor;
-- a policy that is true in disguise | finding policy_ignores_row: added on public.client_partners to taxclaims_client
create policy added on public.client_partners for update to taxclaims_client using (1 = 1) with check (length('x') = 1);
-- a policy that is true in disguise, of whom one that says so is excused | finding policy_ignores_row: sites_select_admin on public.sites to taxclaims_admin
alter policy sites_select_admin on public.sites using (1 = 1);
-- an update policy without a check | finding write_without_check: added on public.client_partners
create policy added on public.client_partners for update to taxclaims_client using (client_id is null);
-- a restrictive policy with nothing to restrict | finding only_restrictive: update of public.client_partners by taxclaims_scoped_admin
create policy added on public.client_partners as restrictive for update to taxclaims_scoped_admin
using (client_id is null) with check (client_id is null);
-- a second permissive policy for a role and command | finding several_permissive: delete of public.sites by taxclaims_scoped_admin
create policy added on public.sites for delete to taxclaims_scoped_admin using (client_id is null);
-- a setting that is read for every row | finding setting_read_per_row: sites_select_tenant on public.sites
alter policy sites_select_tenant on public.sites using (client_id = any (app.client_access()));
-- a policy for reporting that listens to a setting through a function of the house | finding reporting_reads_setting: sites_select_reporting on public.sites
alter policy sites_select_reporting on public.sites using (client_id = any ((select app.client_access())::uuid[]));
-- a policy for reporting that listens to a setting by itself | finding reporting_reads_setting: sites_select_reporting on public.sites
alter policy sites_select_reporting on public.sites
using (client_id = (select current_setting('app.client', true))::uuid);
-- a helper that is immutable | finding helper_not_stable: app.client_access()
alter function app.client_access() immutable;
-- a helper that is volatile | finding helper_not_stable: app.user_id()
alter function app.user_id() volatile;
-- a policy without an index | finding policy_column_without_index: public.sites.client_id
drop index public.sites_client_id_idx;
-- a foreign key that forgets the client | finding foreign_key_across_tenants: added on public.factures
alter table public.factures add constraint added foreign key (reclamation_id) references public.reclamations (id);
-- a foreign key that has the client in it, and compares it with something else | finding foreign_key_across_tenants: added on public.factures
alter table public.factures add constraint added
foreign key (reclamation_id, client_id) references public.reclamations (client_id, id);
-- a view that reads as its owner | finding view_without_invoker: public.added
set local role taxclaims_owner; create view public.added as select id from public.sites; reset role;
--> mend
alter view public.added set (security_invoker = true);
-- a view that reads as its owner, through another | finding view_without_invoker: public.added
set local role taxclaims_owner; create view public.inner with (security_invoker) as select id from public.sites;
create view public.added as select id from public.inner; reset role;
--> mend
alter view public.added set (security_invoker = true);
-- a materialized view | finding copy_within_reach: public.added
set local role taxclaims_owner; create materialized view public.added as select id from public.sites; reset role;
-- a foreign table within reach | finding copy_within_reach: elsewhere.added | who_can_see
create schema elsewhere; create foreign data wrapper w; create server s foreign data wrapper w;
create foreign table elsewhere.added (id integer) server s; grant select on elsewhere.added to taxclaims_reporting;
--> mend
revoke select on elsewhere.added from taxclaims_reporting;
-- a definer function that looks names up | finding definer_search_path: app.locate(text,uuid)
alter function app.locate(text, uuid) reset search_path;
-- a definer function on a named path, which a temporary table shadows | finding definer_search_path: app.locate(text,uuid)
alter function app.locate(text, uuid) set search_path = app;
-- a definer function for everybody | finding definer_within_reach: app.locate(text,uuid)
grant execute on function app.locate(text, uuid) to public;
-- a definer function for reporting | finding definer_within_reach: app.locate(text,uuid)
grant execute on function app.locate(text, uuid) to taxclaims_reporting;
-- a table of somebody else’s | finding foreign_owner: table public.sites
create role test_stranger; alter table public.sites owner to test_stranger;
-- large objects for everybody | finding large_objects: lo_create(oid)
grant execute on function pg_catalog.lo_create(oid) to public;
-- locks of their own for everybody | finding advisory_locks: pg_advisory_lock_shared(bigint)
grant execute on function pg_catalog.pg_advisory_lock_shared(bigint) to public;
-- a table that is sent out | finding published_table: added
create publication added for table public.sites;
-- a server that lacks a repair | finding server_with_known_holes: server
create or replace view audit.server_fixes as
select current_setting('server_version_num')::integer / 10000 * 10000 + 9999 as fixed_in, 'a hole' as hole;
--> mend
create or replace view audit.server_fixes as select 150000 as fixed_in, 'a hole' as hole;
-- a login that becomes BYPASSRLS by way of a role it does not inherit | finding login_reaches_privilege: test_bi | who_can_see
create role test_strong bypassrls; create role test_middle noinherit in role test_strong;
grant test_middle to test_bi;
-- a login that reads the files of the server | finding login_reaches_privilege: test_bi | who_can_see
grant pg_read_server_files to test_bi;
-- a reporting login that becomes a request role | finding login_reaches_house_role: test_bi
grant taxclaims_client to test_bi;
-- a login of the API that has a request role’s rights without becoming it | finding login_reaches_house_role: test_api
create role test_api login in role taxclaims_api; grant taxclaims_client to test_api;
-- a login that becomes the owner | finding login_reaches_house_role: test_bi | who_can_see taxclaims_owner
grant taxclaims_owner to test_bi;
-- a login of the API that has all clients of reporting beside its requests | finding login_reaches_house_role: test_api
create role test_api login in role taxclaims_api; grant taxclaims_reporting_all to test_api;
-- a reporting login that was given all clients by hand, without a record | finding login_reaches_house_role: test_bi
grant taxclaims_reporting_all to test_bi;
--> mend
revoke taxclaims_reporting_all from test_bi; select reporting.grant_all_clients('test_bi');
-- a reporting login that has all clients by way of another role | finding login_reaches_house_role: test_bi
create role test_team in role taxclaims_reporting_all; grant test_team to test_bi;
-- a reporting login that may give all clients to others | finding login_reaches_house_role: test_bi
select reporting.grant_all_clients('test_bi');
grant taxclaims_reporting_all to test_bi with admin option granted by taxclaims_definer;
-- a group whose every login has all clients | finding house_role_changed: taxclaims_reporting_few | others
grant taxclaims_reporting_all to taxclaims_reporting_few;
-- a privileged role of the house | finding house_role_changed: taxclaims_auditor
alter role taxclaims_auditor createdb;
-- a role of the house in a role of the server | finding house_role_changed: taxclaims_reporting | others
grant pg_monitor to taxclaims_reporting;
-- an API that need not become what it may become | finding api_inherits: taxclaims_api
do $$ begin
  if current_setting('server_version_num')::integer < 160000 then execute 'alter role taxclaims_api inherit';
  else execute 'grant taxclaims_client to taxclaims_api with inherit true'; end if;
end $$;
-- an API that reads a table outside a request | finding api_holds_rights: public.sites
grant select on public.sites to taxclaims_api;
-- SELECT of whatever columns a table will have, held by client | finding table_wide_grant: public.cadastres
grant SELECT on public.cadastres to taxclaims_client;
-- SELECT of whatever columns a table will have, held by reporting | finding table_wide_grant: public.cadastres
grant SELECT on public.cadastres to taxclaims_reporting;
-- SELECT of whatever columns a table will have, held by definer | finding table_wide_grant: public.cadastres
grant SELECT on public.cadastres to taxclaims_definer;
-- INSERT of whatever columns a table will have, held by account_manager | finding table_wide_grant: public.cadastres
grant INSERT on public.cadastres to taxclaims_account_manager;
-- UPDATE of whatever columns a table will have, held by admin | finding table_wide_grant: public.cadastres
grant UPDATE on public.cadastres to taxclaims_admin;
-- TRUNCATE in a request’s hands | finding privilege_beyond_policies: public.sites
grant TRUNCATE on public.sites to taxclaims_admin;
-- REFERENCES in a request’s hands | finding privilege_beyond_policies: public.sites
grant REFERENCES on public.sites to taxclaims_admin;
-- TRIGGER in a request’s hands | finding privilege_beyond_policies: public.sites
grant TRIGGER on public.sites to taxclaims_admin;
-- a schema in which others create | finding create_or_temp: schema app
grant create on schema app to taxclaims_definer;
-- temporary tables for everybody | finding create_or_temp: database this database
grant temporary on database :"DBNAME" to public;
-- a right of a role from elsewhere | finding rights_outside_house: test_stranger
create role test_stranger; grant select (site_name) on public.sites to test_stranger;
-- a policy for a role from elsewhere | finding rights_outside_house: added on public.documents
create role test_stranger;
create policy added on public.documents for update to test_stranger using (id is null) with check (id is null);
-- a readable password hash | finding secret_readable: public.users.password_hash
grant select (password_hash) on public.users to taxclaims_admin;
-- a document’s path within reach of reporting | finding secret_readable: public.documents.file_path
grant select (file_path) on public.documents to taxclaims_reporting;
-- a role whose commits are acknowledged before they are kept | finding durability_off: synchronous_commit of taxclaims_client
alter role taxclaims_client set synchronous_commit = false;
-- a database whose commits are acknowledged before they are kept | finding durability_off: synchronous_commit of every role
alter database :"DBNAME" set synchronous_commit = off;
-- a role whose commits wait for no standby | finding durability_off: synchronous_commit of taxclaims_client
alter role taxclaims_client set synchronous_commit = local;
-- a database whose commits wait for no standby to keep them | finding durability_off: synchronous_commit of every role
alter database :"DBNAME" set synchronous_commit = Remote_Write;
-- a server on which no login’s commits are kept before they are acknowledged | finding durability_off: synchronous_commit of every role
alter role all set synchronous_commit = off;
-- a role that starts with clients | finding setting_stored: taxclaims_client
alter role taxclaims_client set app.client_access = '{}';
-- a change of rights that the identity provider does not know for a day | finding identity_change_undelivered: public.identity_changes
insert into public.users (id, email, password_hash, name, role, subject)
values ('e0000000-0000-4000-8000-0000000000d1', 'late@b.example', '!', 'Late', 'CLIENT', 'late');
insert into public.identity_changes (user_id, actor, role, client_access, is_active, ends_tokens, created_at)
values ('e0000000-0000-4000-8000-0000000000d1', 'x', 'CLIENT', '{}', true, true, now() - interval '25 hours'),
    ('e0000000-0000-4000-8000-0000000000d1', 'x', 'CLIENT', '{}', true, true, now() - interval '1 hour');
--> mend
update public.identity_changes set delivered_at = now() where created_at < now();
-- a user who has waited for a reminder by mail for a day | finding reminder_unsent: app.reminders
insert into public.users (id, email, password_hash, name, role)
values ('e0000000-0000-4000-8000-0000000000d2', 'unreminded@b.example', '!', 'Unreminded', 'CLIENT');
insert into app.reminders (user_id, day, told_until, waits_since)
values ('e0000000-0000-4000-8000-0000000000d2', current_date, current_date - 1, now() - interval '25 hours');
--> mend
update app.reminders set state = 'SENT', ended_at = now();
-- a month of the audit log that holds nobody | finding audit_month_differs: audit_log.month_
do $$ begin execute replace('alter table MONTH no force row level security', 'MONTH', (
    select max(relid::text) from pg_partition_tree('audit_log.months') where relid::text ~ 'month_'
)); end $$;
-- a month that was taken out by hand | finding audit_month_missing: audit_log.months
do $$ begin execute 'drop table audit_log.month_'
|| to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYY_MM'); end $$;
--> mend
select app.tend_audit_log();
-- records of the audit log that were taken away past the triggers | finding audit_month_lost: audit log of 
insert into public.audit_logs (action, resource_type, success, actor, created_at)
select 'GET /x', 'sites', false, 'counted', now() - n * interval '1 day' from generate_series(1, 5) as n;
select app.count_audit_days(); set local session_replication_role = replica; delete from public.audit_logs where created_at < now() - interval '100 hours'; set local session_replication_role = origin;
--> mend
select audit.accept('audit_month_lost', f.object, 'tried') from audit.finding_audit_month_lost as f;
-- counts of the audit log that were taken away past the triggers | finding audit_month_lost: app.audit_days
insert into public.audit_logs (action, resource_type, success, actor, created_at)
select 'GET /x', 'sites', false, 'counted', now() - n * interval '1 day' from generate_series(1, 5) as n;
select app.count_audit_days(); set local session_replication_role = replica; delete from app.audit_days where day = (now() at time zone 'UTC')::date - 4; set local session_replication_role = origin;
--> mend
select audit.accept('audit_month_lost', 'app.audit_days', 'tried');
-- a login of the API that may have no connection | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_api; alter role test_out_of_use connection limit 0;
-- a login of reporting whose password is out of date | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_reporting; alter role test_out_of_use valid until '2020-01-01';
-- a login of the API whose statements end at once | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_api; alter role test_out_of_use set statement_timeout = 1;
-- an auditor who waits for no lock | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_auditor; alter role test_out_of_use set lock_timeout = '0.5ms';
-- a login of the API that only reads | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_api; alter role test_out_of_use set default_transaction_read_only = yes;
-- a database that lets in no login | finding login_out_of_use: 
alter database :"DBNAME" connection limit 0;
-- a login of the API that can make databases, through which the service would answer 503 | finding api_login_objection: test_out_of_use
create role test_out_of_use login in role taxclaims_api createdb;
-- a login of the API that is in a role which nobody knows | finding api_login_objection: test_out_of_use
create role test_out_of_use login in role taxclaims_api; create role test_unknown; grant test_unknown to test_out_of_use;
-- a claim on the site of another client | finding impossible_row: public.reclamations
:CLAIM; set local session_replication_role = replica; update public.sites set client_id = ':OTHER' where client_id = ':CLIENT'; set local session_replication_role = origin;
--> mend
set local session_replication_role = replica; update public.sites set client_id = ':CLIENT' where client_id = ':OTHER'; set local session_replication_role = origin;
-- a document whose copy differs | finding impossible_row: app.client_documents
:CLAIM; set local session_replication_role = replica; update app.client_documents set filename = 'y'; set local session_replication_role = origin;
--> mend
set local session_replication_role = replica; update app.client_documents set filename = 'avis.txt'; set local session_replication_role = origin;
-- an open task of a user who does not see it | finding impossible_row: public.notes
:CLAIM; set local session_replication_role = replica;
insert into public.users (email, password_hash, name, role) values ('l@b.example', '!', 'L', 'CLIENT');
insert into public.notes (client_id, reclamation_id, author_id, text, due_on, assignee_id)
select r.client_id, r.id, u.id, 'x', '2190-01-31', u.id from public.reclamations as r, public.users as u where u.email = 'l@b.example';
set local session_replication_role = origin;
--> mend
update public.notes set assignee_id = null;
-- a user whose list names a client that never was | finding impossible_row: public.users
set local session_replication_role = replica; insert into public.users (email, password_hash, name, role, client_access)
values ('l@b.example', '!', 'L', 'CLIENT', '{c1000000-0000-4000-8000-0000000000f9}'); set local session_replication_role = origin;
--> mend
update public.users set client_access = '{}';
-- a calendar of a user whose account has ended | finding impossible_row: public.users.calendar_digest
set local session_replication_role = replica; insert into public.users (email, password_hash, name, role, is_active, calendar_digest)
values ('l@b.example', '!', 'L', 'ADMIN', false, repeat('a', 64)); set local session_replication_role = origin;
--> mend
update public.users set calendar_digest = null;
-- a grant to a reporting login of which the audit log does not tell | finding impossible_row: reporting.grants
:CLAIM; select reporting.set_login_role('test_bi');
set local session_replication_role = replica; insert into reporting.grants (login, client_id, login_oid)
  values ('test_bi', ':CLIENT', 'test_bi'::regrole); set local session_replication_role = origin;
--> mend
select reporting.revoke_client('test_bi', ':CLIENT');
-- a superuser’s function in a schema of its own, which everybody may run | finding function_runs_as_owner: elsewhere.peek() | who_can_see
:ELSEWHERE create function elsewhere.peek() returns setof uuid language sql security definer
set search_path = '' begin atomic select id from public.clients; end;
--> shows :FOREIGN
select elsewhere.peek();
-- a function of a role that bypasses the policies, granted to a group | finding function_runs_as_owner: elsewhere.peek() | who_can_see
create schema elsewhere; create role test_strong bypassrls in role pg_read_all_data;
grant usage, create on schema elsewhere to test_strong; grant usage on schema elsewhere to taxclaims_reporting;
create function elsewhere.peek() returns setof uuid language sql security definer set search_path = ''
return (select id from public.clients where id = ':FOREIGN');
alter function elsewhere.peek() owner to test_strong;
revoke execute on function elsewhere.peek() from public; grant execute on function elsewhere.peek() to taxclaims_reporting;
--> shows :FOREIGN
select elsewhere.peek();
-- a table whose trigger runs a superuser’s function that nobody may run | finding function_runs_as_owner: elsewhere.peek() | who_can_see
:ELSEWHERE create table elsewhere.door (id uuid);
create function elsewhere.peek() returns trigger language plpgsql security definer set search_path = '' as
$f$ begin new.id := (select id from public.clients where id = ':FOREIGN'); return new; end $f$;
revoke execute on function elsewhere.peek() from public;
create trigger door before insert on elsewhere.door for each row execute function elsewhere.peek();
grant insert, select on elsewhere.door to taxclaims_reporting;
--> shows :FOREIGN
insert into elsewhere.door default values returning id;
-- an aggregate made of a superuser’s function that nobody may run | finding function_runs_as_owner: elsewhere.peek(uuid,integer) | who_can_see
:ELSEWHERE create function elsewhere.peek(uuid, integer) returns uuid language sql security definer
set search_path = '' begin atomic select id from public.clients where id = ':FOREIGN'; end;
revoke execute on function elsewhere.peek(uuid, integer) from public;
create aggregate elsewhere.peek_all(integer) (sfunc = elsewhere.peek, stype = uuid);
--> shows :FOREIGN
select elsewhere.peek_all(1);
-- a function that reads the files of the server under another name | finding function_unbounded: elsewhere.peek(text) | who_can_see
:ELSEWHERE create function elsewhere.peek(text) returns bytea language internal as 'pg_read_binary_file_all';
checkpoint;
--> shows "firm_b":true
select position(convert_to('Firm b', 'UTF8') in elsewhere.peek(pg_relation_filepath(c.oid))) > 0 as firm_b
from pg_class as c where c.relname = 'clients' and c.relkind = 'r';
-- a leakproof function that says what it sees | finding function_leakproof: elsewhere.watch(text) | who_can_see
:ELSEWHERE create function elsewhere.watch(text) returns boolean language plpgsql leakproof cost 0.0001 as
$f$ begin raise notice 'saw %', $1; return true; end $f$;
--> shows saw Firm b
select from reporting.clients where elsewhere.watch(company_name);
-- an operator that is a better match than the one a policy means | finding operator_added: operator public.=(character varying,text)
:ELSEWHERE create function elsewhere.same(varchar, text) returns boolean language sql return true;
create operator public.= (leftarg = varchar, rightarg = text, function = elsewhere.same);
-- a cast that is applied without being written | finding operator_added: cast (text as uuid)
create cast (text as uuid) with inout as implicit;
-- a cast from a type of one’s own that is applied without being written | finding operator_added: cast (elsewhere.kind as uuid)
:ELSEWHERE create type elsewhere.kind as enum ('a'); create cast (elsewhere.kind as uuid) with inout as implicit;
-- a function that runs in the session of whoever changes the schema | finding event_trigger: watching
:ELSEWHERE create function elsewhere.watch() returns event_trigger language plpgsql as $f$ begin end $f$;
create event trigger watching on ddl_command_end execute function elsewhere.watch();
-- a trigger that hands every claim to somebody’s function | finding trigger_added: trigger copying on public.reclamations
:ELSEWHERE create function elsewhere.take() returns trigger language plpgsql as $f$ begin return new; end $f$;
create trigger copying after insert on public.reclamations for each row execute function elsewhere.take();
-- a rule that switches the audit log off | finding trigger_added: rule silent on public.audit_logs
create rule silent as on insert to public.audit_logs do instead nothing;
-- a function of a stranger’s in a schema of the house, that runs as the stranger | finding foreign_owner: function app.peek()
create role test_stranger; create function app.peek() returns integer language sql security definer
set search_path = '' return 1; revoke execute on function app.peek() from public;
alter function app.peek() owner to test_stranger;
-- an extension that shows the pages of tables | finding extension_not_known: pageinspect
:ELSEWHERE create extension pageinspect schema elsewhere;
-- a large object that others may read | finding large_objects: large object 4711
select lo_from_bytea(4711, convert_to((select string_agg(id::text, ' ') from public.clients), 'UTF8'));
grant select on large object 4711 to taxclaims_reporting;
--> shows :FOREIGN
select convert_from(lo_get(4711), 'UTF8');
-- a table that was filled from another | finding copy_within_reach: elsewhere.places | who_can_see
:ELSEWHERE create table elsewhere.places as select * from public.sites; grant select on elsewhere.places to public;
--> shows :FOREIGN
select client_id from elsewhere.places;
-- a materialized view of another schema, through a view of the house | finding copy_within_reach: elsewhere.places | who_can_see
:ELSEWHERE create materialized view elsewhere.places as select client_id from reporting.sites;
grant select on elsewhere.places to taxclaims_reporting;
--> shows :FOREIGN
select client_id from elsewhere.places;
-- a table whose rule reads another as its owner | finding copy_within_reach: elsewhere.door | who_can_see
:ELSEWHERE create table elsewhere.door (id uuid); create table elsewhere.taken (id uuid);
create rule door as on insert to elsewhere.door do instead insert into elsewhere.taken select id from public.clients;
grant insert on elsewhere.door to taxclaims_reporting; grant select on elsewhere.taken to taxclaims_reporting;
--> shows :FOREIGN
insert into elsewhere.door default values; select id from elsewhere.taken;
-- a superuser’s view of another schema | finding view_without_invoker: elsewhere.places | who_can_see
:ELSEWHERE create view elsewhere.places as select client_id from public.sites;
grant select (client_id) on elsewhere.places to taxclaims_reporting;
--> shows :FOREIGN
select client_id from elsewhere.places;
-- a parent of a table of the house | finding inherited_table: elsewhere.parent | who_can_see
:ELSEWHERE create table elsewhere.parent (client_id uuid); alter table public.sites inherit elsewhere.parent;
grant select on elsewhere.parent to taxclaims_reporting;
--> shows :FOREIGN
select client_id from elsewhere.parent;
-- a foreign key from outside, by which whoever writes there learns which sites exist | finding foreign_key_across_tenants: guess_site_id_fkey on elsewhere.guess
:ELSEWHERE create table elsewhere.guess (site_id uuid references public.sites (id));
grant insert on elsewhere.guess to taxclaims_reporting;
-- a stranger who owns the schema public | finding foreign_owner: schema public
create role test_stranger; alter schema public owner to test_stranger;
-- the samples of columns that Postgres keeps | finding catalog_right: pg_catalog.pg_statistic | who_can_see
analyze public.clients; grant select on pg_catalog.pg_statistic to taxclaims_reporting;
--> shows Firm b
select s.stavalues1::text from pg_statistic as s join pg_class as c on c.oid = s.starelid
where c.relname = 'clients' and c.relkind = 'r';
-- one column of the table of passwords | finding catalog_right: pg_catalog.pg_authid.rolpassword | who_can_see
grant select (rolname, rolpassword) on pg_catalog.pg_authid to test_bi; revoke select (rolname) on pg_catalog.pg_authid from test_bi;
-- a function of Postgres that reads files | finding catalog_right: pg_read_binary_file(text) | who_can_see
checkpoint; grant execute on function pg_catalog.pg_read_binary_file(text) to taxclaims_reporting;
--> shows "firm_b":true
select position(convert_to('Firm b', 'UTF8') in pg_read_binary_file(pg_relation_filepath(c.oid))) > 0 as firm_b
from pg_class as c where c.relname = 'clients' and c.relkind = 'r';
-- a server that a login connects to as somebody else | finding foreign_server: server s | who_can_see
create foreign data wrapper w; create server s foreign data wrapper w;
create user mapping for test_bi server s options (user 'postgres');
-- a server that everybody may use | finding foreign_server: server s | who_can_see
create foreign data wrapper w; create server s foreign data wrapper w; grant usage on foreign server s to public;
-- a foreign data wrapper of which a group makes servers | finding foreign_server: foreign data wrapper w | who_can_see
create foreign data wrapper w; grant usage on foreign data wrapper w to taxclaims_reporting;
-- a subscription, which writes rows of another server | finding replication: subscription added
create subscription added connection 'dbname=nowhere' publication p with (connect = false, slot_name = none);
-- a database of which copies are made | finding database_copied: 
alter database :"DBNAME" is_template true;
-- a login that bypasses row-level security | finding login_reaches_privilege: test_bi | who_can_see
alter role test_bi bypassrls;
--> shows :FOREIGN
select client_id from reporting.sites;
-- a login that copies the whole server | finding login_reaches_privilege: test_bi | who_can_see
alter role test_bi replication;
-- a login that makes roles | finding login_reaches_privilege: test_bi | who_can_see
alter role test_bi createrole;
-- a login that becomes a superuser | finding login_reaches_privilege: test_bi | who_can_see
create role test_strong superuser; grant test_strong to test_bi;
--> shows :FOREIGN
set local role test_strong; select client_id from public.sites;
-- a login that makes roles by way of another role | finding login_reaches_privilege: test_bi | who_can_see
create role test_strong createrole; create role test_middle in role test_strong; grant test_middle to test_bi;
-- a login in a role of Postgres’s own by way of another | finding login_reaches_privilege: test_bi | who_can_see
create role test_middle in role pg_monitor; grant test_middle to test_bi;
-- a login that never enters this database: replication | finding login_reaches_privilege: test_stray
create role test_stray login replication;
-- a login that never enters this database: in role pg_execute_server_program | finding login_reaches_privilege: test_stray
create role test_stray login in role pg_execute_server_program;
-- a login that can become one of the API’s | finding login_becomes_login: test_stray
create role test_api login in role taxclaims_api; create role test_stray login in role test_api;
-- a login that may put others into its group | finding admin_of_house_role: test_bi
grant taxclaims_reporting to test_bi with admin option;
-- a stranger who owns the database | finding database_owner: test_stray
create role test_stray login; alter database :"DBNAME" owner to test_stray;
-- a reporting login that becomes the owner of the database | finding database_owner: test_bi | who_can_see
create role test_boss; grant test_boss to test_bi; alter database :"DBNAME" owner to test_boss;
-- a member of the definer who owns the database | finding database_owner: test_stray
create role test_stray login in role taxclaims_definer; alter database :"DBNAME" owner to test_stray;
--> mend
revoke taxclaims_definer from test_stray;
-- a reporting login that owns the database, though it is a member of the house’s owner | finding database_owner: test_stray
create role test_stray login in role taxclaims_reporting, taxclaims_owner;
alter database :"DBNAME" owner to test_stray;
--> mend
revoke taxclaims_owner from test_stray;
-- a login of the house that owns a schema | finding login_owns: test_bi
create schema odd authorization test_bi;
-- a login with grants that was taken out of its group | finding reporting_objection: test_bi
select reporting.grant_client('test_bi', ':OWN'); revoke taxclaims_reporting from test_bi;
-- a login with all clients that was put into another role of that name | finding reporting_objection: test_bi
select reporting.grant_all_clients('test_bi'); create role taxclaims_reporting_odd; grant taxclaims_reporting_odd to test_bi;
-- grants of a login that was dropped | finding reporting_objection: test_bi
select reporting.grant_client('test_bi', ':OWN'); drop role test_bi;
-- the right to switch triggers and foreign keys off | finding parameter_granted: session_replication_role | who_can_see
grant set on parameter session_replication_role to test_bi;
--> shows replica
set local session_replication_role = replica; show session_replication_role;
-- the right to change a setting of the whole server | finding parameter_granted: work_mem | who_can_see
grant alter system on parameter work_mem to public;
-- a login that begins without triggers, foreign keys and audit records | finding setting_stored: test_bi | who_can_see
alter role test_bi set session_replication_role = replica;
-- a database whose sessions look names up where others make them | finding setting_stored: every role | who_can_see
alter database :"DBNAME" set search_path = elsewhere, public;
-- a path on which the names of Postgres come last | finding setting_stored: test_bi | who_can_see
alter role test_bi in database postgres reset all; alter role test_bi set search_path = public, pg_catalog;
-- a login that loads a library | finding setting_stored: test_bi | who_can_see
alter role test_bi set session_preload_libraries = 'elsewhere';
-- a login that becomes another role before it has said anything | finding setting_stored: test_bi | who_can_see
alter role test_bi in database :"DBNAME" set role = taxclaims_reporting_all;
-- a login without row security | finding setting_stored: test_bi | who_can_see
alter role test_bi set row_security = off;
-- a right to read the server’s files, which the server says is from the start | finding catalog_right: pg_read_file(text) | drift grant: function pg_read_file(text) to PUBLIC | others
grant execute on function pg_read_file(text) to public;
update pg_init_privs set initprivs = (select proacl from pg_proc where oid = 'pg_read_file(text)'::regprocedure)
where objoid = 'pg_read_file(text)'::regprocedure;
-- a right that a function has by an empty list, without a word of it | finding catalog_right: pg_ls_dir(text) | others
update pg_proc set proacl = null where oid = 'pg_ls_dir(text)'::regprocedure;
delete from pg_init_privs where objoid = 'pg_ls_dir(text)'::regprocedure;
-- samples of every column for a role, which the server says is from the start | finding catalog_right: pg_catalog.pg_statistic | others
grant select on pg_statistic to taxclaims_reporting;
update pg_init_privs set initprivs = (select relacl from pg_class where oid = 'pg_statistic'::regclass)
where objoid = 'pg_statistic'::regclass;
-- a function of Postgres under another name, put into an extension | finding function_unbounded: aside.peek(text) | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create function aside.peek(text) returns text language internal as 'pg_read_file_all';
alter extension pg_trgm add function aside.peek(text);
-- an extension that somebody put something into | drift extension: pg_trgm | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create function aside.more() returns integer language sql security definer return 1;
alter extension pg_trgm add function aside.more();
-- an operator for types of Postgres’s own, put into an extension | finding operator_added: operator aside.=(character varying,text) | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create function aside.same(varchar, text) returns boolean language sql return true;
create operator aside.= (leftarg = varchar, rightarg = text, function = aside.same);
insert into pg_depend select 'pg_operator'::regclass, o.oid, 0, 'pg_extension'::regclass, e.oid, 0, 'e'
from pg_operator as o, pg_extension as e where o.oprnamespace = 'aside'::regnamespace and o.oprname = '=' and e.extname = 'pg_trgm';
-- a view that reads as its owner, put into an extension | drift schema: aside | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create view aside.leak as select id from public.clients; grant select on aside.leak to taxclaims_reporting;
alter extension pg_trgm add view aside.leak;
-- a policy that is said to be a part of an extension | drift policy: evil on public.sites | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create policy evil on public.sites to taxclaims_reporting using (true);
insert into pg_depend select 'pg_policy'::regclass, p.oid, 0, 'pg_proc'::regclass, 'aside.similarity(text,text)'::regprocedure, 0, 'i'
from pg_policy as p where p.polname = 'evil';
-- an extension that was never made, with a function of its name | finding function_unbounded: aside.peek(text) | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create function aside.peek(text) returns text language internal as 'pg_read_file_all';
insert into pg_extension select 4711, 'hstore', 10, 'aside'::regnamespace, true, '1.8', null, null;
insert into pg_depend values ('pg_proc'::regclass, 'aside.peek(text)'::regprocedure, 0, 'pg_extension'::regclass, 4711, 0, 'e');
-- a policy of which pg_depend knows nothing | drift policy: evil on public.sites | others
create policy evil on public.sites to taxclaims_reporting using (true);
delete from pg_depend where (classid, objid) = ('pg_policy'::regclass, (select oid from pg_policy where polname = 'evil'));
delete from pg_shdepend where (classid, objid) = ('pg_policy'::regclass, (select oid from pg_policy where polname = 'evil'));
-- a trigger of which pg_depend knows nothing | drift trigger: evil on public.sites | others
create trigger evil before update on public.sites for each row execute function suppress_redundant_updates_trigger();
delete from pg_depend where (classid, objid) = ('pg_trigger'::regclass, (select oid from pg_trigger where tgname = 'evil'));
delete from pg_shdepend where (classid, objid) = ('pg_trigger'::regclass, (select oid from pg_trigger where tgname = 'evil'));
-- a trigger that says it is Postgres’s own | finding trigger_added: trigger evil on public.sites | others
create function public.copy() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger evil after insert on public.sites for each row execute function public.copy();
update pg_trigger set tgisinternal = true where tgname = 'evil';
-- a table among the house’s of which pg_depend knows nothing | drift table: public.evil | others
create table public.evil (id integer);
delete from pg_depend where (classid, objid) = ('pg_class'::regclass, 'public.evil'::regclass);
delete from pg_shdepend where (classid, objid) = ('pg_class'::regclass, 'public.evil'::regclass);
-- a view elsewhere of which pg_depend knows nothing | finding view_without_invoker: aside.leak | drift schema: aside | others
create schema aside; create view aside.leak as select id from public.clients; grant select on aside.leak to public;
delete from pg_depend where (classid, objid) = ('pg_rewrite'::regclass, (select oid from pg_rewrite where ev_class = 'aside.leak'::regclass));
delete from pg_shdepend where (classid, objid) = ('pg_rewrite'::regclass, (select oid from pg_rewrite where ev_class = 'aside.leak'::regclass));
-- a function elsewhere that runs as the definer, of which pg_shdepend knows nothing | drift function: aside.reach() | others
create schema aside; create function aside.reach() returns integer language sql security definer return 1;
    alter function aside.reach() owner to taxclaims_definer;
delete from pg_depend where (classid, objid) = ('pg_proc'::regclass, 'aside.reach()'::regprocedure);
delete from pg_shdepend where (classid, objid) = ('pg_proc'::regclass, 'aside.reach()'::regprocedure);
-- a function that has a number of Postgres’s own | finding function_runs_as_owner: aside.peek() | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create function aside.peek() returns setof uuid language sql security definer
  set search_path = '' begin atomic select id from public.clients; end;
update pg_proc set oid = 9999 where oid = 'aside.peek()'::regprocedure;
-- a move that a client may make | drift row: public.reclamation_transitions DRAFT, APPROVED, CLIENT
insert into public.reclamation_transitions (from_status, to_status, role) values ('DRAFT', 'APPROVED', 'CLIENT');
-- a move that nobody may make | drift row: public.invoice_transitions factures, ISSUED, PAID, ADMIN
delete from public.invoice_transitions where role = 'ADMIN' and to_status = 'PAID' and table_name = 'factures';
-- a move that needs less | drift row: public.reclamation_transitions DRAFT, WITHDRAWN, ADMIN
update public.reclamation_transitions set requires = '{grounds}' where from_status = 'DRAFT' and to_status = 'WITHDRAWN' and role = 'ADMIN';
-- a guard of the last administrator without its row | drift row: app.administrator_guard true
delete from app.administrator_guard;
-- a default elsewhere that asks the house | drift schema: aside
create schema aside; create table aside.seen (by_role text default app.role());
-- a right of a role of the house in a schema of somebody else | drift schema: aside
create schema aside; create table aside.everything (client text); grant select on aside.everything to taxclaims_reporting;
-- a function that runs as a role of the house | drift function: aside.reach() | others
create schema aside; create function aside.reach() returns text language sql security definer as $$ select 'a' $$;
alter function aside.reach() owner to taxclaims_definer;
-- a type | drift type: public.money_of_ours
create domain public.money_of_ours as numeric;
-- an extension among what is the house's | drift extension: plpgsql
create extension if not exists plpgsql; alter extension plpgsql add schema reporting;
-- two roles of the service that exchange their names | drift function: audit.as_admin(regclass,text,uuid,uuid[],uuid) | others
alter role taxclaims_client rename to test_exchanged; alter role taxclaims_admin rename to taxclaims_client;
alter role test_exchanged rename to taxclaims_admin;
-- two columns that exchange their names | drift view body: reporting.reclamation_history | others
alter table public.reclamation_history rename from_status to exchanged;
alter table public.reclamation_history rename to_status to from_status;
alter table public.reclamation_history rename exchanged to to_status;
-- a table whose triggers the server does not look for | drift table: public.clients | others
update pg_class set relhastriggers = false where oid = 'public.clients'::regclass;
-- a table whose checks the server does not look for | drift table: public.factures | others
update pg_class set relchecks = 0 where oid = 'public.factures'::regclass;
-- a view whose stored query is another view’s | drift view body: reporting.sites | others
:ELSEWHERE create view elsewhere.twice with (security_invoker) as
  select id, client_id, site_name, address, created_at, updated_at from public.sites
  union all select id, client_id, site_name, address, created_at, updated_at from public.sites;
update pg_rewrite set ev_action = (select ev_action from pg_rewrite where ev_class = 'elsewhere.twice'::regclass)
where ev_class = 'reporting.sites'::regclass and rulename = '_RETURN';
