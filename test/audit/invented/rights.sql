/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- a column grant on the password hashes, for a screen of the administrators | an ADMIN reads every hash through the API
grant select (password_hash) on public.users to taxclaims_admin;
-- account managers may change the client of a claim | a claim moves to another tenant | by owner
grant update (client_id) on public.reclamations to taxclaims_account_manager;
-- usage on schema public for BI logins, "so that Power BI finds the tables" | reporting names the tables beside the views, whose schema is closed to it | by owner
grant usage on schema public to taxclaims_reporting;
-- a column grant with grant option to a request role | whoever can run SQL as an account manager passes the clients on to any role
grant select (company_name) on public.clients to taxclaims_account_manager with grant option;
-- the right to make triggers on the audit log, for administrators | a request role puts a trigger there that drops records
grant trigger on public.audit_logs to taxclaims_admin;
-- truncate on the history of claims for the definer | a function of the house empties an append-only history, past every policy
grant truncate on public.reclamation_history to taxclaims_definer;
-- maintain on claims for BI logins | a BI tool locks the table exclusively (cluster, refresh, lock table) and stops the service | since 17
grant maintain on public.reclamations to taxclaims_reporting;
-- everybody may create in schema public again | any login plants tables and functions in the schema of the tables
grant create on schema public to public;
-- temporary tables for BI logins | a BI login fills the shared disk, and has a schema of its own to shadow names in
grant temporary on database :"DBNAME" to taxclaims_reporting;
-- the API may create schemas | the login of the API owns objects, and keeps copies outside every policy
grant create on database :"DBNAME" to taxclaims_api;
-- connect for everybody, as Postgres has it by default | every login of the cluster enters the database
grant connect on database :"DBNAME" to public;
-- connect for one login of another application | a stranger enters and reads the catalogs and all that is granted to PUBLIC
grant connect on database :"DBNAME" to reporter_jo;
-- default privileges of the owner: BI logins read every table of tomorrow | the next migration opens its table, all columns of it
alter default privileges for role taxclaims_owner grant select on tables to taxclaims_reporting;
-- default privileges of the superuser in app: execute for clients | a function that a DBA makes in app is run by tenants
alter default privileges in schema app grant execute on functions to taxclaims_client;
-- default privileges of the definer: everything for everybody | whatever the definer ever owns is everybody’s
alter default privileges for role taxclaims_definer grant all on tables to public;
-- default privileges of the owner back to those of Postgres: PUBLIC runs new functions | the next function of the house is run by every login
alter default privileges for role taxclaims_owner grant execute on functions to public;
-- default privileges: new schemas of the owner are open | PUBLIC enters and creates in every schema of tomorrow
alter default privileges for role taxclaims_owner grant all on schemas to public;
-- tenants may write refusals themselves | a tenant fills the audit log with records that never happened, in anybody’s name
grant execute on function app.record_refusals(jsonb) to taxclaims_client;
-- auditors may give out all clients | an auditor opens every tenant to a BI login of theirs
grant execute on function app.add_login_to_reporting_all(name) to taxclaims_auditor; grant usage on schema app to taxclaims_auditor;
-- the search for foreign records for tenants | a tenant learns which ids exist and whose they are
grant execute on function app.locate(text, uuid) to taxclaims_client;
-- large objects for everybody again | any login stores and passes on data that knows no row-level security
grant execute on function pg_catalog.lo_from_bytea(oid, bytea), pg_catalog.lo_creat(integer) to public;
-- advisory locks for BI logins | one session fills the lock table of the server and stops every other
grant execute on function pg_catalog.pg_advisory_lock(bigint) to taxclaims_reporting;
-- reading files of the server for BI logins | a BI login reads the table files themselves
grant execute on function pg_catalog.pg_read_binary_file(text) to taxclaims_reporting;
-- the catalog of statistics itself for BI logins | the most common values of every column of every tenant are read, hashes and emails too
grant select on pg_catalog.pg_statistic to taxclaims_reporting;
-- one column of pg_authid for the API | the API reads the password verifiers of all logins
grant select (rolname, rolpassword) on pg_catalog.pg_authid to taxclaims_api;
-- pg_shadow for auditors | auditors read the password verifiers of all logins
grant select on pg_catalog.pg_shadow to taxclaims_auditor;
-- the next file of WAL for BI logins | a BI login in a loop fills the disk of the archive with files of 16 MB
grant execute on function pg_catalog.pg_switch_wal() to taxclaims_reporting;
-- import and export of files as large objects for auditors | an auditor reads and overwrites the files of the server
grant execute on function pg_catalog.lo_import(text), pg_catalog.lo_export(oid, text) to taxclaims_auditor;
-- the API may set session_replication_role | the login of the API turns all triggers and foreign keys off for itself: no audit, no life of a claim
grant set on parameter session_replication_role to taxclaims_api;
-- auditors may change what the server logs | an auditor has the texts of all statements written to the log
grant alter system on parameter log_statement to taxclaims_auditor;
-- who moved a claim, for BI logins | reporting reads the identity provider’s names, which it must not | by owner
grant select (actor) on public.reclamation_history to taxclaims_reporting;
-- lists of clients for BI logins | a BI login of one client learns which other clients there are | by owner
grant select (client_access) on public.users to taxclaims_reporting;
-- what was applied is writable for auditors | an auditor rewrites what the drift is held against
grant update, delete on audit.applied to taxclaims_auditor;
create policy applied_write_auditor on audit.applied to taxclaims_auditor using (true) with check (true);
-- the moves of a claim are writable for account managers | an account manager allows itself any move | by owner
grant insert (from_status, to_status, role) on public.reclamation_transitions to taxclaims_account_manager;
create policy reclamation_transitions_insert on public.reclamation_transitions
  for insert to taxclaims_account_manager with check (true);
-- a schema of its own for a BI login | a BI login keeps tables of what it once read, after its grants were revoked, and makes functions
create schema bi_work authorization bi_acme;
-- auditors lose the audit | nobody but the superuser can ask whether anything was broken
revoke select on audit.findings, audit.drift from taxclaims_auditor;
