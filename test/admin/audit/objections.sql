/* An entry: what an API login has | the attributes of its CREATE ROLE | what app.objections says against the login. */

-- SUPERUSER | superuser in role taxclaims_api | has SUPERUSER
-- BYPASSRLS | bypassrls in role taxclaims_api | has BYPASSRLS
-- CREATEROLE | createrole in role taxclaims_api | has CREATEROLE
-- CREATEDB | createdb in role taxclaims_api | has CREATEDB
-- REPLICATION | replication in role taxclaims_api | has REPLICATION
-- membership in taxclaims_owner | in role taxclaims_api, taxclaims_owner | is a member of taxclaims_owner | owns
-- membership in taxclaims_definer | in role taxclaims_api, taxclaims_definer | can become taxclaims_definer, a member of taxclaims_reporting_all with the right to give it to others | can become taxclaims_definer, a member of taxclaims_reporting_few with the right to give it to others | is a member of taxclaims_definer | owns
-- membership in a request role | in role taxclaims_api | has the rights of taxclaims_client without becoming it | is a member of taxclaims_client
grant taxclaims_client to test_suspect;
-- membership in taxclaims_reporting | in role taxclaims_api, taxclaims_reporting | is a member of taxclaims_reporting
-- membership in taxclaims_reporting_all | in role taxclaims_api | is a member of taxclaims_reporting_all
grant taxclaims_reporting_all to test_suspect;
-- membership in taxclaims_auditor | in role taxclaims_api, taxclaims_auditor | is a member of taxclaims_auditor
-- ADMIN OPTION on taxclaims_api | in role taxclaims_api | is a member of taxclaims_api with the right to give it to others
grant taxclaims_api to test_suspect with admin option;
-- membership in an unknown role | in role taxclaims_api | is a member of test_suspect_role
create role test_suspect_role; grant usage on schema reporting to test_suspect_role; grant test_suspect_role to test_suspect;
-- a role with CREATEROLE through a role without INHERIT | in role taxclaims_api | can become test_suspect_middle, a member of test_suspect_strong | can become test_suspect_strong, which has CREATEROLE | is a member of test_suspect_middle
create role test_suspect_strong createrole; create role test_suspect_middle noinherit in role test_suspect_strong;
grant test_suspect_middle to test_suspect;
-- pg_monitor through taxclaims_api | in role taxclaims_api | can become pg_monitor, a member of pg_read_all_settings | can become pg_monitor, a member of pg_read_all_stats | can become pg_monitor, a member of pg_stat_scan_tables | can become taxclaims_api, a member of pg_monitor
grant pg_monitor to taxclaims_api;
-- a request role that is a member of another request role | in role taxclaims_api | can become taxclaims_client, a member of taxclaims_admin
grant taxclaims_admin to taxclaims_client;
-- ownership of a table | in role taxclaims_api | owns 1 objects of this database, such as table public.sites
alter table public.sites owner to test_suspect;
-- ownership of a function | in role taxclaims_api | not as db:migrate made it: function app.client_access() | owns 1 objects of this database, such as function app.client_access()
alter function app.client_access() owner to test_suspect;
-- ownership of a schema | in role taxclaims_api | owns 1 objects of this database, such as schema test_suspect
create schema authorization test_suspect;
-- a group role that owns a table | in role taxclaims_api | owns 1 objects of this database, such as table public.sites
alter table public.sites owner to taxclaims_api;
-- a request role that owns a table | in role taxclaims_api | owns 1 objects of this database, such as table public.sites
alter table public.sites owner to taxclaims_client;
-- ownership of the database | in role taxclaims_api | owns this database
alter database :"DBNAME" owner to test_suspect;
