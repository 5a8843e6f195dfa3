/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- the API’s sessions are replicas | no trigger and no foreign key holds what the API writes
alter role api_production set session_replication_role = replica;
-- all sessions of the database are replicas | no trigger and no foreign key holds anybody
alter database :"DBNAME" set session_replication_role = replica;
-- all sessions of all databases are replicas, by alter role all | no trigger and no foreign key holds anybody
alter role all set session_replication_role = replica;
-- all sessions of the server are replicas, by the configuration | no trigger and no foreign key holds anybody
alter system set session_replication_role = replica;
select pg_reload_conf();
--> undo
alter system reset session_replication_role;
select pg_reload_conf();
-- the API begins as an administrator | a statement of the API outside a request has the whole system
alter role api_production set role = 'taxclaims_admin';
-- a client for requests that say none | a request without clients reads ACME
alter database :"DBNAME" set "app.client_access" = '{c1000000-0000-4000-8000-000000000001}';
-- a user for requests that say none | records of the API name Ada for what she did not do
alter role api_production set "app.user_id" = 'e1000000-0000-4000-8000-000000000001';
-- an equality of another schema first on the API’s search_path | every id equals every other in the API’s statements
create schema hacks;
create function hacks.same(uuid, uuid) returns boolean language sql immutable return true;
create operator hacks.= (leftarg = uuid, rightarg = uuid, function = hacks.same);
grant usage on schema hacks to public;
alter role api_production set search_path = hacks, pg_catalog;
-- an auditor finds other views first | what the auditor asks by name is answered by a table of the DBA’s
create schema nice; grant usage on schema nice to taxclaims_auditor;
create table nice.findings (said text); grant select on nice.findings to taxclaims_auditor;
alter role auditor_anna set search_path = nice, audit;
-- the API is in another time zone | invoices are dated and numbered in the wrong year at its turn
alter role api_production set timezone = 'Pacific/Kiritimati';
-- damaged pages are emptied without a word | rows and audit records go and nobody hears of it
alter database :"DBNAME" set zero_damaged_pages = on;
-- new passwords as MD5 | verifiers that a thief of the catalog cracks or uses as they are
alter system set password_encryption = 'md5';
select pg_reload_conf();
--> undo
alter system reset password_encryption;
select pg_reload_conf();
-- a login’s password as MD5 | its verifier is as good as the password to whoever reads it
set local password_encryption = 'md5'; alter role api_production password 'api-secret';
-- all statements and their values in the server’s log | whoever reads the log reads every tenant
alter system set log_statement = 'all';
alter system set log_parameter_max_length = -1;
select pg_reload_conf();
--> undo
alter system reset log_statement;
alter system reset log_parameter_max_length;
select pg_reload_conf();
-- statements of the API in the log, by a setting of the role | whoever reads the log reads every tenant
alter role api_production set log_min_duration_statement = 0;
-- the WAL is copied to a share | whoever reads the share reads the cluster
alter system set archive_command = 'cp %p /mnt/share/%f';
alter system set archive_mode = on;
select pg_reload_conf();
--> undo
alter system reset archive_command;
alter system reset archive_mode;
select pg_reload_conf();
-- commits do not wait for the disk | an answered request and its audit record are lost in a crash
alter role api_production set synchronous_commit = off;
-- plans of all statements in the log, by a library in every session | whoever reads the log reads the values of every tenant’s statements
alter database :"DBNAME" set session_preload_libraries = 'auto_explain';
alter database :"DBNAME" set "auto_explain.log_min_duration" = 0;
