import type { Breakage } from './breakage.ts';

export const rights: readonly Breakage[] = [
  {
    title: 'a column grant on the password hashes, for a screen of the administrators',
    lets: 'an ADMIN reads every hash through the API',
    make: 'grant select (password_hash) on public.users to taxclaims_admin',
  },
  {
    title: 'account managers may change the client of a claim',
    lets: 'a claim moves to another tenant',
    make: 'grant update (client_id) on public.reclamations to taxclaims_account_manager',
    by: 'owner',
  },
  {
    title: 'usage on schema public for BI logins, "so that Power BI finds the tables"',
    lets: 'reporting names the tables beside the views, whose schema is closed to it',
    make: 'grant usage on schema public to taxclaims_reporting',
    by: 'owner',
  },
  {
    title: 'a column grant with grant option to a request role',
    lets: 'whoever can run SQL as an account manager passes the clients on to any role',
    make: 'grant select (company_name) on public.clients to taxclaims_account_manager with grant option',
  },
  {
    title: 'the right to make triggers on the audit log, for administrators',
    lets: 'a request role puts a trigger there that drops records',
    make: 'grant trigger on public.audit_logs to taxclaims_admin',
  },
  {
    title: 'truncate on the history of claims for the definer',
    lets: 'a function of the house empties an append-only history, past every policy',
    make: 'grant truncate on public.reclamation_history to taxclaims_definer',
  },
  {
    title: 'maintain on claims for BI logins',
    lets: 'a BI tool locks the table exclusively (cluster, refresh, lock table) and stops the service',
    make: 'grant maintain on public.reclamations to taxclaims_reporting',
    since: 17,
  },
  {
    title: 'everybody may create in schema public again',
    lets: 'any login plants tables and functions in the schema of the tables',
    make: 'grant create on schema public to public',
  },
  {
    title: 'temporary tables for BI logins',
    lets: 'a BI login fills the shared disk, and has a schema of its own to shadow names in',
    make: 'grant temporary on database :"DBNAME" to taxclaims_reporting',
  },
  {
    title: 'the API may create schemas',
    lets: 'the login of the API owns objects, and keeps copies outside every policy',
    make: 'grant create on database :"DBNAME" to taxclaims_api',
  },
  {
    title: 'connect for everybody, as Postgres has it by default',
    lets: 'every login of the cluster enters the database',
    make: 'grant connect on database :"DBNAME" to public',
  },
  {
    title: 'connect for one login of another application',
    lets: 'a stranger enters and reads the catalogs and all that is granted to PUBLIC',
    make: 'grant connect on database :"DBNAME" to reporter_jo',
  },
  {
    title: 'default privileges of the owner: BI logins read every table of tomorrow',
    lets: 'the next migration opens its table, all columns of it',
    make: 'alter default privileges for role taxclaims_owner grant select on tables to taxclaims_reporting',
  },
  {
    title: 'default privileges of the superuser in app: execute for clients',
    lets: 'a function that a DBA makes in app is run by tenants',
    make: 'alter default privileges in schema app grant execute on functions to taxclaims_client',
  },
  {
    title: 'default privileges of the definer: everything for everybody',
    lets: 'whatever the definer ever owns is everybody’s',
    make: 'alter default privileges for role taxclaims_definer grant all on tables to public',
  },
  {
    title: 'default privileges of the owner back to those of Postgres: PUBLIC runs new functions',
    lets: 'the next function of the house is run by every login',
    make: 'alter default privileges for role taxclaims_owner grant execute on functions to public',
  },
  {
    title: 'default privileges: new schemas of the owner are open',
    lets: 'PUBLIC enters and creates in every schema of tomorrow',
    make: 'alter default privileges for role taxclaims_owner grant all on schemas to public',
  },
  {
    title: 'tenants may write refusals themselves',
    lets: 'a tenant fills the audit log with records that never happened, in anybody’s name',
    make: 'grant execute on function app.record_refusals(jsonb) to taxclaims_client',
  },
  {
    title: 'auditors may give out all clients',
    lets: 'an auditor opens every tenant to a BI login of theirs',
    make: 'grant execute on function app.give_all_clients(name) to taxclaims_auditor; grant usage on schema app to taxclaims_auditor',
  },
  {
    title: 'the search for foreign records for tenants',
    lets: 'a tenant learns which ids exist and whose they are',
    make: 'grant execute on function app.locate(text, uuid) to taxclaims_client',
  },
  {
    title: 'large objects for everybody again',
    lets: 'any login stores and passes on data that knows no row-level security',
    make: 'grant execute on function pg_catalog.lo_from_bytea(oid, bytea), pg_catalog.lo_creat(integer) to public',
  },
  {
    title: 'advisory locks for BI logins',
    lets: 'one session fills the lock table of the server and stops every other',
    make: 'grant execute on function pg_catalog.pg_advisory_lock(bigint) to taxclaims_reporting',
  },
  {
    title: 'reading files of the server for BI logins',
    lets: 'a BI login reads the table files themselves',
    make: 'grant execute on function pg_catalog.pg_read_binary_file(text) to taxclaims_reporting',
  },
  {
    title: 'the catalog of statistics itself for BI logins',
    lets: 'the most common values of every column of every tenant are read, hashes and emails too',
    make: 'grant select on pg_catalog.pg_statistic to taxclaims_reporting',
  },
  {
    title: 'one column of pg_authid for the API',
    lets: 'the API reads the password verifiers of all logins',
    make: 'grant select (rolname, rolpassword) on pg_catalog.pg_authid to taxclaims_api',
  },
  {
    title: 'pg_shadow for auditors',
    lets: 'auditors read the password verifiers of all logins',
    make: 'grant select on pg_catalog.pg_shadow to taxclaims_auditor',
  },
  {
    title: 'the next file of WAL for BI logins',
    lets: 'a BI login in a loop fills the disk of the archive with files of 16 MB',
    make: 'grant execute on function pg_catalog.pg_switch_wal() to taxclaims_reporting',
  },
  {
    title: 'import and export of files as large objects for auditors',
    lets: 'an auditor reads and overwrites the files of the server',
    make: 'grant execute on function pg_catalog.lo_import(text), pg_catalog.lo_export(oid, text) to taxclaims_auditor',
  },
  {
    title: 'the API may set session_replication_role',
    lets: 'the login of the API turns all triggers and foreign keys off for itself: no audit, no life of a claim',
    make: 'grant set on parameter session_replication_role to taxclaims_api',
  },
  {
    title: 'auditors may change what the server logs',
    lets: 'an auditor has the texts of all statements written to the log',
    make: 'grant alter system on parameter log_statement to taxclaims_auditor',
  },
  {
    title: 'who moved a claim, for BI logins',
    lets: 'reporting reads the identity provider’s names, which it must not',
    make: 'grant select (actor) on public.reclamation_history to taxclaims_reporting',
    by: 'owner',
  },
  {
    title: 'lists of clients for BI logins',
    lets: 'a BI login of one client learns which other clients there are',
    make: 'grant select (client_access) on public.users to taxclaims_reporting',
    by: 'owner',
  },
  {
    title: 'what was applied is writable for auditors',
    lets: 'an auditor rewrites what the drift is held against',
    make: `grant update, delete on audit.applied to taxclaims_auditor;
           create policy applied_write_auditor on audit.applied to taxclaims_auditor using (true) with check (true)`,
  },
  {
    title: 'the moves of a claim are writable for account managers',
    lets: 'an account manager allows itself any move',
    make: `grant insert (from_status, to_status, role) on public.reclamation_transitions to taxclaims_account_manager;
           create policy reclamation_transitions_insert on public.reclamation_transitions
             for insert to taxclaims_account_manager with check (true)`,
    by: 'owner',
  },
  {
    title: 'a schema of its own for a BI login',
    lets: 'a BI login keeps tables of what it once read, after its grants were revoked, and makes functions',
    make: 'create schema bi_work authorization bi_acme',
  },
  {
    title: 'auditors lose the audit',
    lets: 'nobody but the superuser can ask whether anything was broken',
    make: 'revoke select on audit.findings, audit.drift from taxclaims_auditor',
  },
];
