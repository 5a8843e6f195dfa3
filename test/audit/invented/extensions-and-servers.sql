/* TITLE | what it lets | by whom, since which Postgres, which extension it needs. */

-- a server with the superuser’s password in a BI login’s mapping | the BI login reads the password in pg_user_mappings
create foreign data wrapper mirror;
create server replica foreign data wrapper mirror;
create user mapping for bi_acme server replica options (user 'postgres', password 'hunter2');
grant usage on foreign server replica to bi_acme;
-- a foreign table that reads this database as the superuser | BI logins read users past every policy, by a connection back | needs postgres_fdw
create extension postgres_fdw schema pg_catalog;
create server loop foreign data wrapper postgres_fdw options (host '/tmp', dbname 'taxclaims');
create user mapping for public server loop options (user 'postgres', password_required 'false');
create foreign table reporting.users_far (email text, password_hash text) server loop
  options (schema_name 'public', table_name 'users');
grant select on reporting.users_far to taxclaims_reporting;
-- the files of the server as a table for BI logins | BI logins read pg_hba.conf, or any file that the server reads | needs file_fdw
create extension file_fdw schema pg_catalog;
create server files foreign data wrapper file_fdw;
create foreign table reporting.rules (line text) server files options (filename 'pg_hba.conf');
grant select on reporting.rules to taxclaims_reporting;
-- connections without a password for everybody | any login connects as the server’s user, who is trusted, and is the superuser | needs dblink
create schema tools; grant usage on schema tools to public;
create extension dblink schema tools;
grant execute on function tools.dblink_connect_u(text) to public;
-- dblink for BI logins, in their schema | a BI login sends what it reads to any server, and tries passwords from inside | needs dblink
create extension dblink schema reporting;
-- a foreign table beneath sites | what sites shows comes from elsewhere, and is inserted elsewhere | needs postgres_fdw
create extension postgres_fdw schema pg_catalog;
create server elsewhere foreign data wrapper postgres_fdw options (host 'elsewhere.example');
create schema tools;
create foreign table tools.sites_far () inherits (public.sites) server elsewhere;
-- the audit log is a member of an extension | pg_dump leaves it out, and a restore has no record
alter extension plpgsql add table public.audit_logs;
-- the audit function is a member of an extension | pg_dump leaves it out, and a restore has no audit
alter extension plpgsql add function app.record_change();
-- a function that runs what it is given, hidden in an extension | every login reads everything; whoever skips members of extensions does not see it
create function pg_catalog.ask(query text) returns setof text language plpgsql security definer as $$
begin return query execute query; end $$;
grant execute on function pg_catalog.ask(text) to public;
alter extension plpgsql add function pg_catalog.ask(text);
-- what is in the WAL, for BI logins | a BI login reads the bytes of every row that anybody wrote | since 16 | needs pg_walinspect
create extension pg_walinspect schema pg_catalog;
grant execute on function pg_catalog.pg_get_wal_block_info(pg_lsn, pg_lsn, boolean) to taxclaims_reporting;
-- repairing heap pages for the owner | a member of the owner’s role kills audit records past every trigger | needs pg_surgery
create extension pg_surgery schema pg_catalog;
grant execute on function pg_catalog.heap_force_kill(regclass, tid[]) to taxclaims_owner;
-- an audit trigger made to depend on an extension that was dropped since | changes of clients leave no record, and nobody dropped a trigger | needs tcn
create extension tcn schema pg_catalog;
alter trigger clients_audit_write on public.clients depends on extension tcn;
drop extension tcn;
