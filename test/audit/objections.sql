/* What a login has | its attributes | each objection to it. */

-- SUPERUSER | superuser in role taxclaims_api | has SUPERUSER
-- BYPASSRLS | bypassrls in role taxclaims_api | has BYPASSRLS
-- CREATEROLE | createrole in role taxclaims_api | has CREATEROLE
-- CREATEDB | createdb in role taxclaims_api | has CREATEDB
-- REPLICATION | replication in role taxclaims_api | has REPLICATION
-- the owner, which it can become | in role taxclaims_api, taxclaims_owner | is a member of taxclaims_owner | owns
-- the definer, which it can become | in role taxclaims_api, taxclaims_definer | can become taxclaims_definer, a member of taxclaims_reporting_all with the right to give it to others | can become taxclaims_definer, a member of taxclaims_reporting_few with the right to give it to others | is a member of taxclaims_definer | owns
-- a request role of its own | in role taxclaims_api | has the rights of taxclaims_client without becoming it | is a member of taxclaims_client
grant taxclaims_client to test_suspect;
-- another group | in role taxclaims_api, taxclaims_reporting | is a member of taxclaims_reporting
-- all clients of reporting | in role taxclaims_api | is a member of taxclaims_reporting_all
grant taxclaims_reporting_all to test_suspect;
-- the auditors’ group | in role taxclaims_api, taxclaims_auditor | is a member of taxclaims_auditor
-- its own group with ADMIN | in role taxclaims_api | is a member of taxclaims_api with the right to give it to others
grant taxclaims_api to test_suspect with admin option;
-- a role that nobody knows | in role taxclaims_api | is a member of test_suspect_role
create role test_suspect_role; grant test_suspect_role to test_suspect;
-- a role that creates roles, two memberships away and not inherited | in role taxclaims_api | can become test_suspect_middle, a member of test_suspect_strong | can become test_suspect_strong, which has CREATEROLE | is a member of test_suspect_middle
create role test_suspect_strong createrole; create role test_suspect_middle noinherit in role test_suspect_strong;
grant test_suspect_middle to test_suspect;
-- its group in a role of the server | in role taxclaims_api | can become pg_monitor, a member of pg_read_all_settings | can become pg_monitor, a member of pg_read_all_stats | can become pg_monitor, a member of pg_stat_scan_tables | can become taxclaims_api, a member of pg_monitor
grant pg_monitor to taxclaims_api;
-- a request role in another | in role taxclaims_api | can become taxclaims_client, a member of taxclaims_admin
grant taxclaims_admin to taxclaims_client;
-- a table | in role taxclaims_api | owns 1 objects of this database, such as table public.sites
alter table public.sites owner to test_suspect;
-- a function | in role taxclaims_api | not as db:migrate made it: function app.client_access() | owns 1 objects of this database, such as function app.client_access()
alter function app.client_access() owner to test_suspect;
-- a schema | in role taxclaims_api | owns 1 objects of this database, such as schema test_suspect
create schema authorization test_suspect;
-- a table of its group | in role taxclaims_api | owns 1 objects of this database, such as table public.sites
alter table public.sites owner to taxclaims_api;
-- a table of a request role | in role taxclaims_api | owns 1 objects of this database, such as table public.sites
alter table public.sites owner to taxclaims_client;
-- the database | in role taxclaims_api | owns this database
alter database :"DBNAME" owner to test_suspect;
