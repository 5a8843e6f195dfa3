/*
 * An entry: the result of a DBA's action, as the schema audit reports the result | fields; then the action's SQL.
 *   finding NAME: OBJECT   audit.findings reports this finding; OBJECT may be a part of the object's name
 *   drift KIND: OBJECT     audit.drift lists this change
 *   who_can_see            audit.who_can_see lists the login test_bi with this finding as a login that sees a client
 *   others                 the action causes further findings; without this field the action causes no other finding,
 *                          and the findings' remedies and the SQL below `mend` end its findings
 * The login test_bi is in taxclaims_reporting and has no grant. `shows TEXT`: the login's SQL then returns TEXT.
 */

-- a table without row-level security | finding rls_disabled: public.sites
alter table public.sites disable row level security;
-- a table whose policies do not apply to its owner | finding rls_not_forced: public.sites
alter table public.sites no force row level security;
-- a table without policies | finding table_without_policies: public.added
set local role taxclaims_owner; create table public.added (id integer); alter table public.added enable row level security;
alter table public.added force row level security; reset role;
-- a policy for everybody | finding policy_to_public: added on public.client_partners
create policy added on public.client_partners for update using (client_id is null) with check (client_id is null);
-- a policy of a request role whose condition is the constant true | finding policy_constant_true: added on public.client_partners to taxclaims_client
create policy added on public.client_partners for update to taxclaims_client using (true) with check (client_id is null);
-- a policy of a request role whose check is the constant true | finding policy_constant_true: added on public.client_partners to taxclaims_client
create policy added on public.client_partners for update to taxclaims_client using (client_id is null) with check (true);
-- a constant policy of administrators that also applies to auditors | finding policy_constant_true: sites_select_admin on public.sites to taxclaims_admin, taxclaims_auditor
alter policy sites_select_admin on public.sites to taxclaims_admin, taxclaims_auditor;
-- a policy whose condition and check are always true without reading the row | finding policy_ignores_row: added on public.client_partners to taxclaims_client
create policy added on public.client_partners for update to taxclaims_client using (1 = 1) with check (length('x') = 1);
-- a policy of administrators that is always true without the excused constant true | finding policy_ignores_row: sites_select_admin on public.sites to taxclaims_admin
alter policy sites_select_admin on public.sites using (1 = 1);
-- an update policy without a check | finding write_without_check: added on public.client_partners
create policy added on public.client_partners for update to taxclaims_client using (client_id is null);
-- a restrictive policy for a command without a permissive policy | finding only_restrictive: update of public.client_partners by taxclaims_scoped_admin
create policy added on public.client_partners as restrictive for update to taxclaims_scoped_admin
using (client_id is null) with check (client_id is null);
-- a second permissive policy for a role and command | finding several_permissive: delete of public.sites by taxclaims_scoped_admin
create policy added on public.sites for delete to taxclaims_scoped_admin using (client_id is null);
-- a policy that reads a setting for every row | finding setting_read_per_row: sites_select_tenant on public.sites
alter policy sites_select_tenant on public.sites using (client_id = any (app.client_access()));
-- a policy of reporting logins that reads a setting through a function of the service | finding reporting_reads_setting: sites_select_reporting on public.sites
alter policy sites_select_reporting on public.sites using (client_id = any ((select app.client_access())::uuid[]));
-- a policy of reporting logins that reads a setting with current_setting | finding reporting_reads_setting: sites_select_reporting on public.sites
alter policy sites_select_reporting on public.sites
using (client_id = (select current_setting('app.client', true))::uuid);
-- an immutable function that reads a setting for policies | finding helper_not_stable: app.client_access()
alter function app.client_access() immutable;
-- a volatile function that reads a setting for policies | finding helper_not_stable: app.user_id()
alter function app.user_id() volatile;
-- a policy on a column without an index | finding policy_column_without_index: public.sites.client_id
drop index public.sites_client_id_idx;
-- a foreign key between records of clients without the column client_id | finding foreign_key_across_tenants: added on public.factures
alter table public.factures add constraint added foreign key (reclamation_id) references public.reclamations (id);
-- a foreign key that compares client_id with another column | finding foreign_key_across_tenants: added on public.factures
alter table public.factures add constraint added
foreign key (reclamation_id, client_id) references public.reclamations (client_id, id);
-- a view of the service with the rights of its owner | finding outside_within_reach: view reporting.sites | who_can_see
alter view reporting.sites set (security_invoker = false);
-- a materialized view in a schema of the service | finding outside_within_reach: materialized view public.added | who_can_see
set local role taxclaims_owner; create materialized view public.added as select id from public.sites;
grant select on public.added to taxclaims_reporting; reset role;
-- a foreign table that a reporting login can read | finding outside_within_reach: foreign table elsewhere.added | who_can_see
create schema elsewhere; create foreign data wrapper w; create server s foreign data wrapper w;
create foreign table elsewhere.added (id integer) server s; grant select on elsewhere.added to taxclaims_reporting;
-- a security definer function without a fixed search_path | finding definer_search_path: app.locate(text,uuid)
alter function app.locate(text, uuid) reset search_path;
-- a security definer function with search_path = app, before which Postgres searches temporary tables | finding definer_search_path: app.locate(text,uuid)
alter function app.locate(text, uuid) set search_path = app;
-- a security definer function that PUBLIC may run | finding definer_within_reach: app.locate(text,uuid)
grant execute on function app.locate(text, uuid) to public;
-- a security definer function that reporting logins may run | finding definer_within_reach: app.locate(text,uuid)
grant execute on function app.locate(text, uuid) to taxclaims_reporting;
-- a table of the service that a foreign role owns | finding foreign_owner: table public.sites
create role test_stranger; alter table public.sites owner to test_stranger;
-- the right of PUBLIC to create large objects | finding server_function_open: large objects
grant execute on function pg_catalog.lo_create(oid) to public;
-- the right of PUBLIC to take advisory locks | finding server_function_open: advisory locks
grant execute on function pg_catalog.pg_advisory_lock_shared(bigint) to public;
-- the right of PUBLIC to write files from a read-only session | finding server_function_open: writes of a reader
grant execute on function pg_catalog.pg_export_snapshot() to public;
-- the right of one reporting login to write the write-ahead log | finding server_function_open: writes of a reader of test_bi
do $$
declare
    overload regprocedure;
begin
    for overload in select oid from pg_proc where proname = 'pg_logical_emit_message'
    loop
        execute format('grant execute on function %s to test_bi', overload);
    end loop;
end $$;
-- a table that a publication sends to other servers | finding published_table: added
create publication added for table public.sites;
-- a server whose Postgres release lacks a security fix | finding server_with_known_holes: server
create or replace view audit.server_fixes with (security_invoker) as
select current_setting('server_version_num')::integer / 10000 * 10000 + 9999 as fixed_in, 'a hole' as hole;
--> mend
create or replace view audit.server_fixes with (security_invoker) as select 150000 as fixed_in, 'a hole' as hole;
-- a login that can become a role with BYPASSRLS through a role without INHERIT | finding login_reaches_privilege: test_bi | who_can_see
create role test_strong bypassrls; create role test_middle noinherit in role test_strong;
grant test_middle to test_bi;
-- a login in pg_read_server_files | finding login_reaches_privilege: test_bi | who_can_see
grant pg_read_server_files to test_bi;
-- a reporting login in a request role | finding login_reaches_house_role: test_bi
grant taxclaims_client to test_bi;
-- a login of the API that inherits the rights of a request role | finding login_reaches_house_role: test_api
create role test_api login in role taxclaims_api; grant taxclaims_client to test_api;
-- a reporting login in taxclaims_owner | finding login_reaches_house_role: test_bi | who_can_see taxclaims_owner
grant taxclaims_owner to test_bi;
-- a login of the API in taxclaims_reporting_all | finding login_reaches_house_role: test_api
create role test_api login in role taxclaims_api; grant taxclaims_reporting_all to test_api;
-- a reporting login that got all clients by GRANT instead of reporting.grant_all_clients | finding login_reaches_house_role: test_bi
grant taxclaims_reporting_all to test_bi;
--> mend
revoke taxclaims_reporting_all from test_bi; select reporting.grant_all_clients('test_bi');
-- a reporting login that has all clients through another role | finding login_reaches_house_role: test_bi
create role test_team in role taxclaims_reporting_all; grant test_team to test_bi;
-- a reporting login that may grant taxclaims_reporting_all to others | finding login_reaches_house_role: test_bi
select reporting.grant_all_clients('test_bi');
grant taxclaims_reporting_all to test_bi with admin option granted by taxclaims_definer;
-- the group taxclaims_reporting_few in taxclaims_reporting_all | finding house_role_changed: taxclaims_reporting_few | others
grant taxclaims_reporting_all to taxclaims_reporting_few;
-- a role of the service with CREATEDB | finding house_role_changed: taxclaims_auditor
alter role taxclaims_auditor createdb;
-- a role of the service in a role of Postgres | finding house_role_changed: taxclaims_reporting | others
grant pg_monitor to taxclaims_reporting;
-- a taxclaims_api that inherits the rights of a request role | finding api_inherits: taxclaims_api
do $$ begin
  if current_setting('server_version_num')::integer < 160000 then execute 'alter role taxclaims_api inherit';
  else execute 'grant taxclaims_client to taxclaims_api with inherit true'; end if;
end $$;
-- a right of taxclaims_api to read a table outside a request | finding api_holds_rights: public.sites
grant select on public.sites to taxclaims_api;
-- a right of clients to read a whole table with its future columns | finding table_wide_grant: public.cadastres
grant SELECT on public.cadastres to taxclaims_client;
-- a right of account managers to insert into a whole table with its future columns | finding table_wide_grant: public.cadastres
grant INSERT on public.cadastres to taxclaims_account_manager;
-- a right of administrators to update a whole table with its future columns | finding table_wide_grant: public.cadastres
grant UPDATE on public.cadastres to taxclaims_admin;
-- TRUNCATE, REFERENCES and TRIGGER of a request role on a table | finding privilege_beyond_policies: public.sites | finding privilege_beyond_policies: public.sites | finding privilege_beyond_policies: public.sites
grant truncate, references, trigger on public.sites to taxclaims_admin;
-- a right of taxclaims_definer to create objects in a schema | finding create_or_temp: schema app
grant create on schema app to taxclaims_definer;
-- the right of PUBLIC to create temporary tables | finding create_or_temp: database this database
grant temporary on database :"DBNAME" to public;
-- a right of a role outside the service to a column | finding rights_outside_house: test_stranger
create role test_stranger; grant select (site_name) on public.sites to test_stranger;
-- a policy for a role outside the service | finding rights_outside_house: added on public.documents
create role test_stranger;
create policy added on public.documents for update to test_stranger using (id is null) with check (id is null);
-- a right of administrators to read password hashes | finding secret_readable: public.users.password_hash
grant select (password_hash) on public.users to taxclaims_admin;
-- a right of reporting logins to read the paths of documents | finding secret_readable: public.documents.file_path
grant select (file_path) on public.documents to taxclaims_reporting;
-- a role with synchronous_commit = false | finding durability_off: synchronous_commit of taxclaims_client
alter role taxclaims_client set synchronous_commit = false;
-- a database with synchronous_commit = off | finding durability_off: synchronous_commit of every role
alter database :"DBNAME" set synchronous_commit = off;
-- a role with synchronous_commit = local | finding durability_off: synchronous_commit of taxclaims_client
alter role taxclaims_client set synchronous_commit = local;
-- a database with synchronous_commit = remote_write | finding durability_off: synchronous_commit of every role
alter database :"DBNAME" set synchronous_commit = Remote_Write;
-- synchronous_commit = off for all roles of the server | finding durability_off: synchronous_commit of every role
alter role all set synchronous_commit = off;
-- a role whose sessions start with app.client_access | finding setting_stored: taxclaims_client
alter role taxclaims_client set app.client_access = '{}';
-- a change of rights that was not delivered to the identity provider for a day | finding identity_change_undelivered: public.identity_changes
insert into public.users (id, email, password_hash, name, role, subject)
values ('e0000000-0000-4000-8000-0000000000d1', 'late@b.example', '!', 'Late', 'CLIENT', 'late');
insert into public.identity_changes (user_id, actor, role, client_access, is_active, ends_tokens, created_at)
values ('e0000000-0000-4000-8000-0000000000d1', 'x', 'CLIENT', '{}', true, true, now() - interval '25 hours'),
    ('e0000000-0000-4000-8000-0000000000d1', 'x', 'CLIENT', '{}', true, true, now() - interval '1 hour');
--> mend
update public.identity_changes set delivered_at = now() where created_at < now();
-- a reminder by mail that was not sent for a day | finding reminder_unsent: app.reminders
insert into public.users (id, email, password_hash, name, role)
values ('e0000000-0000-4000-8000-0000000000d2', 'unreminded@b.example', '!', 'Unreminded', 'CLIENT');
insert into app.reminders (user_id, day, told_until, waits_since)
values ('e0000000-0000-4000-8000-0000000000d2', current_date, current_date - 1, now() - interval '25 hours');
--> mend
update app.reminders set state = 'SENT', ended_at = now();
-- a partition of the audit log whose policies do not apply to its owner | finding audit_month_differs: audit_log.month_
do $$ begin execute replace('alter table MONTH no force row level security', 'MONTH', (
    select max(relid::text) from pg_partition_tree('audit_log.months') where relid::text ~ 'month_'
)); end $$;
-- a dropped partition of the audit log | finding audit_month_missing: audit_log.months
do $$ begin execute 'drop table audit_log.month_'
|| to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYY_MM'); end $$;
--> mend
select app.tend_audit_log();
-- audit records that were deleted without triggers | finding audit_month_lost: audit log of 
insert into public.audit_logs (action, resource_type, success, actor, created_at)
select 'GET /x', 'sites', false, 'counted', now() - n * interval '1 day' from generate_series(1, 5) as n;
select app.count_audit_days(); alter table public.audit_logs disable trigger audit_logs_append_only; delete from public.audit_logs where created_at < now() - interval '100 hours';
alter table public.audit_logs enable always trigger audit_logs_append_only;
--> mend
select audit.accept('audit_month_lost', f.object, 'tried') from audit.finding_audit_month_lost as f;
-- a daily count of audit records that was deleted without triggers | finding audit_month_lost: app.audit_days
insert into public.audit_logs (action, resource_type, success, actor, created_at)
select 'GET /x', 'sites', false, 'counted', now() - n * interval '1 day' from generate_series(1, 5) as n;
select app.count_audit_days(); alter table app.audit_days disable trigger audit_days_append_only; delete from app.audit_days where day = (now() at time zone 'UTC')::date - 4;
alter table app.audit_days enable always trigger audit_days_append_only;
--> mend
select audit.accept('audit_month_lost', 'app.audit_days', 'tried');
-- a login of the API with connection limit 0 | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_api; alter role test_out_of_use connection limit 0;
-- a reporting login with an expired password | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_reporting; alter role test_out_of_use valid until '2020-01-01';
-- a login of the API with a statement_timeout of 1 ms | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_api; alter role test_out_of_use set statement_timeout = 1;
-- an auditor with a lock_timeout of 0.5 ms | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_auditor; alter role test_out_of_use set lock_timeout = '0.5ms';
-- a login of the API with read-only transactions | finding login_out_of_use: test_out_of_use
create role test_out_of_use login in role taxclaims_api; alter role test_out_of_use set default_transaction_read_only = yes;
-- a database with connection limit 0 | finding login_out_of_use: 
alter database :"DBNAME" connection limit 0;
-- a login of the API with CREATEDB | finding api_login_objection: test_out_of_use
create role test_out_of_use login in role taxclaims_api createdb;
-- a login of the API in an unknown role with CREATEDB | finding api_login_objection: test_out_of_use
create role test_out_of_use login in role taxclaims_api; create role test_unknown createdb; grant test_unknown to test_out_of_use;
-- a claim on the site of another client | finding impossible_row: public.reclamations
:CLAIM; set local session_replication_role = replica; update public.sites set client_id = ':OTHER' where client_id = ':CLIENT'; set local session_replication_role = origin;
--> mend
set local session_replication_role = replica; update public.sites set client_id = ':CLIENT' where client_id = ':OTHER'; set local session_replication_role = origin;
-- a document that differs from its copy in app.client_documents | finding impossible_row: app.client_documents
:CLAIM; set local session_replication_role = replica; update app.client_documents set filename = 'y'; set local session_replication_role = origin;
--> mend
set local session_replication_role = replica; update app.client_documents set filename = 'avis.txt'; set local session_replication_role = origin;
-- an open task of an assignee without the client | finding impossible_row: public.notes
:CLAIM; insert into public.users (email, password_hash, name, role) values ('l@b.example', '!', 'L', 'CLIENT');
set local session_replication_role = replica;
insert into public.notes (client_id, reclamation_id, author_id, text, due_on, assignee_id)
select r.client_id, r.id, u.id, 'x', '2190-01-31', u.id from public.reclamations as r, public.users as u where u.email = 'l@b.example';
set local session_replication_role = origin;
--> mend
update public.notes set assignee_id = null;
-- a user whose client list names a client that does not exist | finding impossible_row: public.users.client_access | finding impossible_row: public.users
insert into public.users (email, password_hash, name, role) values ('l@b.example', '!', 'L', 'CLIENT'); set local session_replication_role = replica;
update public.users set client_access = '{c1000000-0000-4000-8000-0000000000f9}' where email = 'l@b.example'; set local session_replication_role = origin;
--> mend
update public.users set client_access = '{}';
-- a calendar address of an inactive user | finding impossible_row: public.users.calendar_digest
insert into public.users (email, password_hash, name, role, is_active, calendar_digest)
values ('l@b.example', '!', 'L', 'TAX_SPECIALIST', false, repeat('a', 64));
--> mend
update public.users set calendar_digest = null;
-- a grant to a reporting login without an audit record | finding impossible_row: reporting.grants
:CLAIM; select reporting.set_login_role('test_bi');
set local session_replication_role = replica; insert into reporting.grants (login, client_id, login_oid)
  values ('test_bi', ':CLIENT', 'test_bi'::regrole); set local session_replication_role = origin;
--> mend
select reporting.revoke_client('test_bi', ':CLIENT');
-- a superuser’s security definer function that PUBLIC may run | finding outside_within_reach: routine elsewhere.peek() | who_can_see
:ELSEWHERE create function elsewhere.peek() returns setof uuid language sql security definer
set search_path = '' begin atomic select id from public.clients; end;
--> shows :FOREIGN
select elsewhere.peek();
-- a security definer function of a role with BYPASSRLS that reporting logins may run | finding outside_within_reach: routine elsewhere.peek() | who_can_see
create schema elsewhere; create role test_strong bypassrls in role pg_read_all_data;
grant usage, create on schema elsewhere to test_strong; grant usage on schema elsewhere to taxclaims_reporting;
create function elsewhere.peek() returns setof uuid language sql security definer set search_path = ''
return (select id from public.clients where id = ':FOREIGN');
alter function elsewhere.peek() owner to test_strong;
revoke execute on function elsewhere.peek() from public; grant execute on function elsewhere.peek() to taxclaims_reporting;
--> shows :FOREIGN
select elsewhere.peek();
-- a table whose trigger runs a superuser’s security definer function | finding outside_within_reach: routine elsewhere.peek() | finding outside_within_reach: table elsewhere.door | who_can_see
:ELSEWHERE create table elsewhere.door (id uuid);
create function elsewhere.peek() returns trigger language plpgsql security definer set search_path = '' as
$f$ begin new.id := (select id from public.clients where id = ':FOREIGN'); return new; end $f$;
revoke execute on function elsewhere.peek() from public;
create trigger door before insert on elsewhere.door for each row execute function elsewhere.peek();
grant insert, select on elsewhere.door to taxclaims_reporting;
--> shows :FOREIGN
insert into elsewhere.door default values returning id;
-- a table of a reporting login whose trigger runs a superuser’s security definer function | finding login_owns: test_bi | finding outside_within_reach: routine elsewhere.peek() | who_can_see outside_within_reach
:ELSEWHERE create table elsewhere.door (id uuid); alter table elsewhere.door owner to test_bi;
create function elsewhere.peek() returns trigger language plpgsql security definer set search_path = '' as
$f$ begin new.id := (select id from public.clients where id = ':FOREIGN'); return new; end $f$;
revoke execute on function elsewhere.peek() from public;
create trigger door before insert on elsewhere.door for each row execute function elsewhere.peek();
--> shows :FOREIGN
insert into elsewhere.door default values returning id;
-- a table of a reporting login whose foreign key passes a deletion on to a superuser’s trigger | finding login_owns: test_bi | finding outside_within_reach: routine elsewhere.peek() | who_can_see outside_within_reach
:ELSEWHERE create table elsewhere.door (id uuid primary key);
create table elsewhere.behind (id uuid references elsewhere.door on delete cascade);
alter table elsewhere.door owner to test_bi;
create function elsewhere.peek() returns trigger language plpgsql security definer set search_path = '' as
$f$ begin raise notice '%', (select id from public.clients where id = ':FOREIGN'); return old; end $f$;
revoke execute on function elsewhere.peek() from public;
create trigger behind before delete on elsewhere.behind for each row execute function elsewhere.peek();
insert into elsewhere.door values ('00000000-0000-4000-8000-000000000000');
insert into elsewhere.behind table elsewhere.door;
--> shows :FOREIGN
delete from elsewhere.door;
-- a table of the API’s login whose partition has a trigger with a superuser’s rights | finding login_owns: test_api | finding outside_within_reach: routine elsewhere.peek() | others
:ELSEWHERE create role test_api login in role taxclaims_api; create table elsewhere.door (id integer) partition by list (id);
create table elsewhere.one partition of elsewhere.door for values in (1);
alter table elsewhere.door owner to test_api;
create function elsewhere.peek() returns trigger language plpgsql security definer set search_path = '' as
$f$ begin return null; end $f$;
revoke execute on function elsewhere.peek() from public;
create trigger one before insert on elsewhere.one for each row execute function elsewhere.peek();
-- an aggregate with a superuser’s security definer function | finding outside_within_reach: routine elsewhere.peek(uuid,integer) | who_can_see
:ELSEWHERE create function elsewhere.peek(uuid, integer) returns uuid language sql security definer
set search_path = '' begin atomic select id from public.clients where id = ':FOREIGN'; end;
revoke execute on function elsewhere.peek(uuid, integer) from public;
create aggregate elsewhere.peek_all(integer) (sfunc = elsewhere.peek, stype = uuid);
--> shows :FOREIGN
select elsewhere.peek_all(1);
-- a function that calls pg_read_binary_file under another name | finding function_unbounded: elsewhere.peek(text) | who_can_see
:ELSEWHERE create function elsewhere.peek(text) returns bytea language internal as 'pg_read_binary_file_all';
checkpoint;
--> shows "firm_b":true
select position(convert_to('Firm b', 'UTF8') in elsewhere.peek(pg_relation_filepath(c.oid))) > 0 as firm_b
from pg_class as c where c.relname = 'clients' and c.relkind = 'r';
-- a leakproof function that prints the values that it gets | finding function_leakproof: elsewhere.watch(text) | who_can_see
:ELSEWHERE create function elsewhere.watch(text) returns boolean language plpgsql leakproof cost 0.0001 as
$f$ begin raise notice 'saw %', $1; return true; end $f$;
--> shows saw Firm b
select from reporting.clients where elsewhere.watch(company_name);
-- an operator that Postgres would prefer to the operator in a policy | finding operator_added: operator public.=(character varying,text)
:ELSEWHERE create function elsewhere.same(varchar, text) returns boolean language sql return true;
create operator public.= (leftarg = varchar, rightarg = text, function = elsewhere.same);
-- an implicit cast between built-in types | finding operator_added: cast (text as uuid)
create cast (text as uuid) with inout as implicit;
-- an implicit cast from a DBA’s own type | finding operator_added: cast (elsewhere.kind as uuid)
:ELSEWHERE create type elsewhere.kind as enum ('a'); create cast (elsewhere.kind as uuid) with inout as implicit;
-- an event trigger | finding event_trigger: watching
:ELSEWHERE create function elsewhere.watch() returns event_trigger language plpgsql as $f$ begin end $f$;
create event trigger watching on ddl_command_end execute function elsewhere.watch();
-- a trigger on a table of the service | finding trigger_added: trigger copying on public.reclamations
:ELSEWHERE create function elsewhere.take() returns trigger language plpgsql as $f$ begin return new; end $f$;
create trigger copying after insert on public.reclamations for each row execute function elsewhere.take();
-- a rule that drops the rows of the audit log | finding trigger_added: rule silent on public.audit_logs
create rule silent as on insert to public.audit_logs do instead nothing;
-- a foreign role’s security definer function in a schema of the service | finding foreign_owner: function app.peek()
create role test_stranger; create function app.peek() returns integer language sql security definer
set search_path = '' return 1; revoke execute on function app.peek() from public;
alter function app.peek() owner to test_stranger;
-- the extension pageinspect | finding extension_not_known: pageinspect
:ELSEWHERE create extension pageinspect schema elsewhere;
-- a large object that reporting logins may read | finding large_objects: large object 4711
select lo_from_bytea(4711, convert_to((select string_agg(id::text, ' ') from public.clients), 'UTF8'));
grant select on large object 4711 to taxclaims_reporting;
--> shows :FOREIGN
select convert_from(lo_get(4711), 'UTF8');
-- a copy of a table that PUBLIC may read | finding outside_within_reach: table elsewhere.places | who_can_see
:ELSEWHERE create table elsewhere.places as select * from public.sites; grant select on elsewhere.places to public;
--> shows :FOREIGN
select client_id from elsewhere.places;
-- a materialized view of a reporting view that reporting logins may read | finding outside_within_reach: materialized view elsewhere.places | who_can_see
:ELSEWHERE create materialized view elsewhere.places as select client_id from reporting.sites;
grant select on elsewhere.places to taxclaims_reporting;
--> shows :FOREIGN
select client_id from elsewhere.places;
-- a table with a rule that reads another table as its owner | finding outside_within_reach: table elsewhere.door | finding outside_within_reach: table elsewhere.taken | who_can_see
:ELSEWHERE create table elsewhere.door (id uuid); create table elsewhere.taken (id uuid);
create rule door as on insert to elsewhere.door do instead insert into elsewhere.taken select id from public.clients;
grant insert on elsewhere.door to taxclaims_reporting; grant select on elsewhere.taken to taxclaims_reporting;
--> shows :FOREIGN
insert into elsewhere.door default values; select id from elsewhere.taken;
-- a superuser’s view that reporting logins may read | finding outside_within_reach: view elsewhere.places | who_can_see
:ELSEWHERE create view elsewhere.places as select client_id from public.sites;
grant select (client_id) on elsewhere.places to taxclaims_reporting;
--> shows :FOREIGN
select client_id from elsewhere.places;
-- a view of a catalog with values of all clients, which a reporting login may read | finding outside_within_reach: view mon.stat | who_can_see
analyze public.clients; create schema mon; create view mon.stat as select starelid::regclass, stavalues1::text as seen from pg_statistic;
grant usage on schema mon to test_bi; grant select on mon.stat to test_bi;
--> shows Firm b
select seen from mon.stat;
-- a view of the password verifiers, which PUBLIC may read | finding outside_within_reach: view mon.logins | who_can_see
create schema mon; create view mon.logins as select rolname, rolpassword from pg_authid; grant usage on schema mon to public; grant select on mon.logins to public;
--> shows taxclaims_owner
select rolname, rolpassword from mon.logins;
-- a view through which a reporting login enters taxclaims_admin | finding outside_within_reach: view mon.members | who_can_see
create schema mon; create view mon.members as select * from pg_auth_members; grant usage on schema mon to test_bi; grant select, insert on mon.members to test_bi;
--> shows taxclaims_admin
insert into mon.members select (jsonb_populate_record(m, jsonb_build_object('oid', 99999, 'roleid', 'taxclaims_admin'::regrole::oid, 'member', 'test_bi'::regrole::oid))).*
from mon.members as m where m.roleid = 'taxclaims_reporting'::regrole and m.member = 'test_bi'::regrole returning roleid::regrole;
-- a view of the large objects, which the API may read | finding outside_within_reach: view mon.files
create schema mon; create view mon.files as select * from pg_largeobject; grant select on mon.files to taxclaims_api;
-- a view of a TOAST table, which an auditor may read | finding outside_within_reach: view mon.long
create schema mon; create view mon.long as select chunk_data from pg_toast.pg_toast_2619; grant select on mon.long to taxclaims_auditor;
-- a copy under other names, of which reporting logins may read a column | finding outside_within_reach: table elsewhere.a | who_can_see
:ELSEWHERE create table elsewhere.a as select client_id as b, to_jsonb(s) as c from public.sites as s; grant select (b) on elsewhere.a to taxclaims_reporting;
--> shows :FOREIGN
select b from elsewhere.a;
-- a right of PUBLIC to a sequence of others | finding outside_within_reach: sequence elsewhere.numbers | who_can_see
:ELSEWHERE create sequence elsewhere.numbers; grant usage on sequence elsewhere.numbers to public;
-- a caller’s view over a hidden function with the rights of a superuser | finding outside_within_reach: routine hidden.peek() | who_can_see
:ELSEWHERE create schema hidden; create function hidden.peek() returns setof uuid language sql security definer as 'select id from public.clients';
create view elsewhere.places with (security_invoker) as select * from hidden.peek() as p; grant select on elsewhere.places to test_bi;
--> shows :FOREIGN
select p from elsewhere.places;
-- a caller’s view with a rule that writes with the rights of a superuser | finding outside_within_reach: view elsewhere.door | who_can_see
:ELSEWHERE create table elsewhere.kept as select id from public.clients; create view elsewhere.door with (security_invoker) as select null::uuid as id;
create rule door as on insert to elsewhere.door do instead delete from elsewhere.kept returning kept.id; grant insert, select on elsewhere.door to test_bi;
--> shows :FOREIGN
insert into elsewhere.door values (null) returning id;
-- a procedure with the rights of a superuser | finding outside_within_reach: routine elsewhere.enter() | who_can_see
:ELSEWHERE create procedure elsewhere.enter() language plpgsql security definer as $f$ begin execute 'grant taxclaims_admin to test_bi'; end $f$;
--> shows true
call elsewhere.enter(); select pg_has_role('test_bi', 'taxclaims_admin', 'MEMBER');
-- a table that two reporting logins share through a role of their own | finding outside_within_reach: role test_team | who_can_see
create role test_team; grant test_team to test_bi; create schema team authorization test_team; create table team.notes (said text); alter table team.notes owner to test_team;
-- a right of a role that a reporting login can become | finding outside_within_reach: table elsewhere.a | who_can_see
create role test_team noinherit; grant test_team to test_bi; :ELSEWHERE create table elsewhere.a as select id from public.clients; grant select on elsewhere.a to test_team;
--> shows :FOREIGN
set local role test_team; select id from elsewhere.a;
-- a right to a table that a reporting login passed on to auditors | finding outside_within_reach: table elsewhere.a | who_can_see
:ELSEWHERE create table elsewhere.a (b integer); grant select on elsewhere.a to test_bi with grant option;
set local role test_bi; grant select on elsewhere.a to taxclaims_auditor; reset role;
-- a right of reporting logins to create tables in another schema | finding outside_within_reach: schema elsewhere | who_can_see
:ELSEWHERE grant create on schema elsewhere to taxclaims_reporting;
-- a superuser’s view that a login outside the groups reads | finding outside_within_reach: view mon.stat | finding rights_outside_house: test_stray
create role test_stray login; grant connect on database :"DBNAME" to test_stray;
create schema mon; create view mon.stat as select starelid from pg_statistic; grant select on mon.stat to test_stray;
-- a parent table of a table of the service | finding inherited_table: elsewhere.parent | who_can_see
:ELSEWHERE create table elsewhere.parent (client_id uuid); alter table public.sites inherit elsewhere.parent;
grant select on elsewhere.parent to taxclaims_reporting;
--> shows :FOREIGN
select client_id from elsewhere.parent;
--> mend
revoke all on elsewhere.parent from taxclaims_reporting;
-- a foreign key from outside by which a reporting login finds out which sites exist | finding outside_within_reach: table elsewhere.guess | drift constraint: guess_site_id_fkey on elsewhere.guess | who_can_see
:ELSEWHERE create table elsewhere.guess (site_id uuid references public.sites (id));
grant insert on elsewhere.guess to taxclaims_reporting;
-- a schema public that a foreign role owns | finding foreign_owner: schema public
create role test_stranger; alter schema public owner to test_stranger;
-- the right of reporting logins to read pg_statistic, which has values of columns | finding catalog_right: pg_catalog.pg_statistic | who_can_see
analyze public.clients; grant select on pg_catalog.pg_statistic to taxclaims_reporting;
--> shows Firm b
select s.stavalues1::text from pg_statistic as s join pg_class as c on c.oid = s.starelid
where c.relname = 'clients' and c.relkind = 'r';
-- the right of a login to read the column of passwords in pg_authid | finding catalog_right: pg_catalog.pg_authid.rolpassword | who_can_see
grant select (rolname, rolpassword) on pg_catalog.pg_authid to test_bi; revoke select (rolname) on pg_catalog.pg_authid from test_bi;
-- the right of reporting logins to run pg_read_binary_file | finding catalog_right: pg_read_binary_file(text) | who_can_see
checkpoint; grant execute on function pg_catalog.pg_read_binary_file(text) to taxclaims_reporting;
--> shows "firm_b":true
select position(convert_to('Firm b', 'UTF8') in pg_read_binary_file(pg_relation_filepath(c.oid))) > 0 as firm_b
from pg_class as c where c.relname = 'clients' and c.relkind = 'r';
-- a user mapping by which a login connects to a foreign server | finding foreign_server: server s | who_can_see
create foreign data wrapper w; create server s foreign data wrapper w;
create user mapping for test_bi server s options (user 'postgres');
-- a foreign server that PUBLIC may use | finding foreign_server: server s | who_can_see
create foreign data wrapper w; create server s foreign data wrapper w; grant usage on foreign server s to public;
-- a foreign data wrapper that reporting logins may use | finding foreign_server: foreign data wrapper w | who_can_see
create foreign data wrapper w; grant usage on foreign data wrapper w to taxclaims_reporting;
-- a subscription | finding replication: subscription added
create subscription added connection 'dbname=nowhere' publication p with (connect = false, slot_name = none);
-- a database that is a template | finding database_copied: 
alter database :"DBNAME" is_template true;
-- a login with BYPASSRLS | finding login_reaches_privilege: test_bi | who_can_see
alter role test_bi bypassrls;
--> shows :FOREIGN
select client_id from reporting.sites;
-- a login with REPLICATION | finding login_reaches_privilege: test_bi | who_can_see
alter role test_bi replication;
-- a login with CREATEROLE | finding login_reaches_privilege: test_bi | who_can_see
alter role test_bi createrole;
-- a login that can become a superuser | finding login_reaches_privilege: test_bi | who_can_see
create role test_strong superuser; grant test_strong to test_bi;
--> shows :FOREIGN
set local role test_strong; select client_id from public.sites;
-- a login in pg_monitor through another role | finding login_reaches_privilege: test_bi | who_can_see
create role test_middle in role pg_monitor; grant test_middle to test_bi;
-- a login with REPLICATION that may not connect to this database | finding login_reaches_privilege: test_stray
create role test_stray login replication;
-- a login in pg_execute_server_program that may not connect to this database | finding login_reaches_privilege: test_stray
create role test_stray login in role pg_execute_server_program;
-- a login that can become a login of the API | finding login_becomes_login: test_stray
create role test_api login in role taxclaims_api; create role test_stray login in role test_api;
-- a login that may grant taxclaims_reporting to others | finding admin_of_house_role: test_bi
grant taxclaims_reporting to test_bi with admin option;
-- a foreign login that owns the database | finding database_owner: test_stray
create role test_stray login; alter database :"DBNAME" owner to test_stray;
-- a reporting login that can become the owner of the database | finding database_owner: test_bi | who_can_see
create role test_boss; grant test_boss to test_bi; alter database :"DBNAME" owner to test_boss;
-- a member of taxclaims_definer that owns the database | finding database_owner: test_stray
create role test_stray login in role taxclaims_definer; alter database :"DBNAME" owner to test_stray;
--> mend
revoke taxclaims_definer from test_stray;
-- a reporting login in taxclaims_owner that owns the database | finding database_owner: test_stray
create role test_stray login in role taxclaims_reporting, taxclaims_owner;
alter database :"DBNAME" owner to test_stray;
--> mend
revoke taxclaims_owner from test_stray;
-- a reporting login that owns a schema | finding login_owns: test_bi
create schema odd authorization test_bi;
-- a reporting login that owns a table, a view and a function of the service | finding foreign_owner: function app.locate(text,uuid) | finding foreign_owner: table public.notes | finding foreign_owner: view reporting.sites | finding login_owns: test_bi
alter table public.notes owner to test_bi; alter view reporting.sites owner to test_bi; alter function app.locate(text, uuid) owner to test_bi;
-- a reporting login that owns a table of the service and a table of its own | finding foreign_owner: table public.notes | finding login_owns: test_bi
create schema odd; create table odd.kept as select 1 as n; alter table odd.kept owner to test_bi; alter table public.notes owner to test_bi;
-- a reporting login with a client in a role that may read all tables | finding login_reaches_privilege: test_bi | finding reporting_objection: test_bi | who_can_see
select reporting.grant_client('test_bi', ':OWN'); grant pg_read_all_data to test_bi;
-- a reporting login with a client and the attribute REPLICATION | finding login_reaches_privilege: test_bi | finding reporting_objection: test_bi | who_can_see
select reporting.grant_client('test_bi', ':OWN'); alter role test_bi replication;
-- a login with a granted client that left taxclaims_reporting | finding reporting_objection: test_bi
select reporting.grant_client('test_bi', ':OWN'); revoke taxclaims_reporting from test_bi;
-- a login with all clients in an unknown role named taxclaims_reporting_odd | finding reporting_objection: test_bi
select reporting.grant_all_clients('test_bi'); create role taxclaims_reporting_odd; grant taxclaims_reporting_odd to test_bi;
-- a granted client of a dropped login | finding reporting_objection: test_bi
select reporting.grant_client('test_bi', ':OWN'); drop role test_bi;
-- a login’s right to set session_replication_role, which disables triggers | finding parameter_granted: session_replication_role | who_can_see
grant set on parameter session_replication_role to test_bi;
--> shows replica
set local session_replication_role = replica; show session_replication_role;
-- the right of PUBLIC to change a setting of the server | finding parameter_granted: work_mem | who_can_see
grant alter system on parameter work_mem to public;
-- a login whose sessions start without triggers | finding setting_stored: test_bi | who_can_see
alter role test_bi set session_replication_role = replica;
-- a database whose search_path has a foreign schema | finding setting_stored: every role | who_can_see
alter database :"DBNAME" set search_path = elsewhere, public;
-- a login whose search_path ends with pg_catalog | finding setting_stored: test_bi | who_can_see
alter role test_bi in database postgres reset all; alter role test_bi set search_path = public, pg_catalog;
-- a login whose sessions load a library | finding setting_stored: test_bi | who_can_see
alter role test_bi set session_preload_libraries = 'elsewhere';
-- a login whose sessions start in another role | finding setting_stored: test_bi | who_can_see
alter role test_bi in database :"DBNAME" set role = taxclaims_reporting_all;
-- a login with row_security = off | finding setting_stored: test_bi | who_can_see
alter role test_bi set row_security = off;
-- a function of Postgres that PUBLIC may run because its access list is null | finding catalog_right: pg_ls_dir(text) | others
update pg_proc set proacl = null where oid = 'pg_ls_dir(text)'::regprocedure;
delete from pg_init_privs where objoid = 'pg_ls_dir(text)'::regprocedure;
-- a right to pg_statistic that pg_init_privs falsely has as an initial right | finding catalog_right: pg_catalog.pg_statistic | others
grant select on pg_statistic to taxclaims_reporting;
update pg_init_privs set initprivs = (select relacl from pg_class where oid = 'pg_statistic'::regclass)
where objoid = 'pg_statistic'::regclass;
-- a member function of an extension that calls pg_read_file under another name | finding function_unbounded: aside.peek(text) | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create function aside.peek(text) returns text language internal as 'pg_read_file_all';
alter extension pg_trgm add function aside.peek(text);
-- an extension with an added function | drift extension: pg_trgm | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create function aside.more() returns integer language sql security definer return 1;
alter extension pg_trgm add function aside.more();
-- a member operator of an extension for built-in types | finding operator_added: operator aside.=(character varying,text) | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create function aside.same(varchar, text) returns boolean language sql return true;
create operator aside.= (leftarg = varchar, rightarg = text, function = aside.same);
insert into pg_depend select 'pg_operator'::regclass, o.oid, 0, 'pg_extension'::regclass, e.oid, 0, 'e'
from pg_operator as o, pg_extension as e where o.oprnamespace = 'aside'::regnamespace and o.oprname = '=' and e.extname = 'pg_trgm';
-- a member view of an extension with the rights of its owner | finding outside_within_reach: view aside.leak | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create view aside.leak as select id from public.clients; grant select on aside.leak to taxclaims_reporting;
alter extension pg_trgm add view aside.leak;
-- a member view of an extension that reads a catalog and has no rows in pg_depend | finding outside_within_reach: view aside.leak | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create view aside.leak as select rolpassword from pg_authid; grant select on aside.leak to taxclaims_reporting;
alter extension pg_trgm add view aside.leak;
delete from pg_depend where (classid, objid) = ('pg_rewrite'::regclass, (select oid from pg_rewrite where ev_class = 'aside.leak'::regclass)) and refobjid <> 'aside.leak'::regclass;
-- a policy that pg_depend has as a part of an extension | drift policy: evil on public.sites | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create extension pg_trgm schema aside; create policy evil on public.sites to taxclaims_reporting using (true);
insert into pg_depend select 'pg_policy'::regclass, p.oid, 0, 'pg_proc'::regclass, 'aside.similarity(text,text)'::regprocedure, 0, 'i'
from pg_policy as p where p.polname = 'evil';
-- a function that pg_depend has as a member of a forged extension | finding function_unbounded: aside.peek(text) | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create function aside.peek(text) returns text language internal as 'pg_read_file_all';
insert into pg_extension select 4711, 'hstore', 10, 'aside'::regnamespace, true, '1.8', null, null;
insert into pg_depend values ('pg_proc'::regclass, 'aside.peek(text)'::regprocedure, 0, 'pg_extension'::regclass, 4711, 0, 'e');
-- a policy without rows in pg_depend | drift policy: evil on public.sites | others
create policy evil on public.sites to taxclaims_reporting using (true);
delete from pg_depend where (classid, objid) = ('pg_policy'::regclass, (select oid from pg_policy where polname = 'evil'));
delete from pg_shdepend where (classid, objid) = ('pg_policy'::regclass, (select oid from pg_policy where polname = 'evil'));
-- a trigger without rows in pg_depend | drift trigger: evil on public.sites | others
create trigger evil before update on public.sites for each row execute function suppress_redundant_updates_trigger();
delete from pg_depend where (classid, objid) = ('pg_trigger'::regclass, (select oid from pg_trigger where tgname = 'evil'));
delete from pg_shdepend where (classid, objid) = ('pg_trigger'::regclass, (select oid from pg_trigger where tgname = 'evil'));
-- a trigger that is marked as internal | finding trigger_added: trigger evil on public.sites | others
create function public.copy() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger evil after insert on public.sites for each row execute function public.copy();
update pg_trigger set tgisinternal = true where tgname = 'evil';
-- a table in a schema of the service without rows in pg_depend | drift table: public.evil | others
create table public.evil (id integer);
delete from pg_depend where (classid, objid) = ('pg_class'::regclass, 'public.evil'::regclass);
delete from pg_shdepend where (classid, objid) = ('pg_class'::regclass, 'public.evil'::regclass);
-- a view in another schema without rows in pg_depend | finding outside_within_reach: view aside.leak | others
create schema aside; create view aside.leak as select id from public.clients; grant select on aside.leak to public;
delete from pg_depend where (classid, objid) = ('pg_rewrite'::regclass, (select oid from pg_rewrite where ev_class = 'aside.leak'::regclass));
delete from pg_shdepend where (classid, objid) = ('pg_rewrite'::regclass, (select oid from pg_rewrite where ev_class = 'aside.leak'::regclass));
-- a security definer function of taxclaims_definer in another schema without rows in pg_depend | drift function: aside.reach() | others
create schema aside; create function aside.reach() returns integer language sql security definer return 1;
    alter function aside.reach() owner to taxclaims_definer;
delete from pg_depend where (classid, objid) = ('pg_proc'::regclass, 'aside.reach()'::regprocedure);
delete from pg_shdepend where (classid, objid) = ('pg_proc'::regclass, 'aside.reach()'::regprocedure);
-- a function with an oid in the range of built-in functions | finding outside_within_reach: routine aside.peek() | others
create schema aside; grant usage on schema aside to taxclaims_reporting; create function aside.peek() returns setof uuid language sql security definer
  set search_path = '' begin atomic select id from public.clients; end;
update pg_proc set oid = 9999 where oid = 'aside.peek()'::regprocedure;
-- an added status change of claims for clients | drift row: public.reclamation_transitions DRAFT, APPROVED, CLIENT
insert into public.reclamation_transitions (from_status, to_status, role) values ('DRAFT', 'APPROVED', 'CLIENT');
-- a removed status change of invoices | drift row: public.invoice_transitions factures, ISSUED, PAID, ADMIN
delete from public.invoice_transitions where role = 'ADMIN' and to_status = 'PAID' and table_name = 'factures';
-- a status change of claims with fewer required columns | drift row: public.reclamation_transitions DRAFT, WITHDRAWN, ADMIN
update public.reclamation_transitions set requires = '{grounds}' where from_status = 'DRAFT' and to_status = 'WITHDRAWN' and role = 'ADMIN';
-- a status change of claims without its condition | drift row: public.reclamation_transitions SUBMITTED, LITIGATION, ADMIN
update public.reclamation_transitions set condition = null where from_status = 'SUBMITTED' and to_status = 'LITIGATION' and role = 'ADMIN';
-- a deleted row of app.identity_management, without which no change of rights is sent | drift row: app.identity_management true
delete from app.identity_management;
-- a deleted row of app.administrator_guard, which protects the last administrator | drift row: app.administrator_guard true
delete from app.administrator_guard;
-- a table in another schema whose default calls a function of the service | drift schema: aside
create schema aside; create table aside.seen (by_role text default app.role());
-- statistics of an expression that calls a function of another schema, which ANALYZE runs | drift statistics object: public.peeked
create schema aside; create function aside.peek(text) returns text language sql immutable return $1;
create statistics public.peeked on (aside.peek(company_name)), contact_email from public.clients;
-- a security definer function of taxclaims_definer in another schema | drift function: aside.reach() | others
create schema aside; create function aside.reach() returns text language sql security definer as $$ select 'a' $$;
alter function aside.reach() owner to taxclaims_definer;
-- a schema of the service that became a member of an extension | drift extension: plpgsql
create extension if not exists plpgsql; alter extension plpgsql add schema reporting;
-- two exchanged names of request roles | drift function: audit.as_admin(regclass,text,uuid,uuid[],uuid) | others
alter role taxclaims_client rename to test_exchanged; alter role taxclaims_admin rename to taxclaims_client;
alter role test_exchanged rename to taxclaims_admin;
-- two exchanged names of columns | drift view body: reporting.reclamation_history | others
alter table public.reclamation_history rename from_status to exchanged;
alter table public.reclamation_history rename to_status to from_status;
alter table public.reclamation_history rename exchanged to to_status;
-- a reporting view with the stored query of another view | drift view body: reporting.sites | others
:ELSEWHERE create view elsewhere.twice with (security_invoker) as
  select id, client_id, site_name, address, created_at, updated_at from public.sites
  union all select id, client_id, site_name, address, created_at, updated_at from public.sites;
update pg_rewrite set ev_action = (select ev_action from pg_rewrite where ev_class = 'elsewhere.twice'::regclass)
where ev_class = 'reporting.sites'::regclass and rulename = '_RETURN';
