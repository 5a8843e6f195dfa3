import { idOf } from '../../policies/fixture.ts';
import { FOREIGN, here, type Way } from './way.ts';

const power = (what: string, bad: string, reads?: Way['reads']): Way => ({
  finding: 'login_reaches_privilege',
  what,
  object: 'test_bi',
  bad,
  named: true,
  ...(reads === undefined ? {} : { reads }),
});

const SITES = { sql: 'select client_id from reporting.sites', seen: FOREIGN };

const setting = (what: string, bad: string, object: string): Way => ({
  finding: 'setting_stored',
  what,
  object,
  bad,
  named: true,
});

/** What a login is, may become, owns, was granted, or begins with. */
export const LOGINS: readonly Way[] = [
  power('a login that bypasses row-level security', 'alter role test_bi bypassrls', SITES),
  power('a login that copies the whole server', 'alter role test_bi replication'),
  power('a login that makes roles', 'alter role test_bi createrole'),
  power(
    'a login that becomes a superuser',
    'create role test_strong superuser; grant test_strong to test_bi',
    { sql: 'set local role test_strong; select client_id from public.sites', seen: FOREIGN },
  ),
  power(
    'a login that makes roles by way of another role',
    'create role test_strong createrole; create role test_middle in role test_strong; grant test_middle to test_bi',
  ),
  power(
    'a login in a role of Postgres’s own by way of another',
    'create role test_middle in role pg_monitor; grant test_middle to test_bi',
  ),
  ...['replication', 'in role pg_execute_server_program'].map((what) => ({
    ...power(`a login that never enters this database: ${what}`, `create role test_stray login ${what}`),
    object: 'test_stray',
    named: false,
  })),
  {
    finding: 'login_becomes_login',
    what: 'a login that can become one of the API’s',
    object: 'test_stray',
    bad: 'create role test_api login in role taxclaims_api; create role test_stray login in role test_api',
  },
  {
    finding: 'admin_of_house_role',
    what: 'a login that may put others into its group',
    object: 'test_bi',
    bad: 'grant taxclaims_reporting to test_bi with admin option',
  },
  {
    finding: 'database_owner',
    what: 'a stranger who owns the database',
    object: 'test_stray',
    bad: `create role test_stray login; ${here('alter database %I owner to test_stray')}`,
  },
  {
    finding: 'database_owner',
    what: 'a reporting login that becomes the owner of the database',
    object: 'test_bi',
    bad: `create role test_boss; grant test_boss to test_bi; ${here('alter database %I owner to test_boss')}`,
    named: true,
  },
  {
    finding: 'database_owner',
    what: 'a member of the definer who owns the database',
    object: 'test_stray',
    bad: `create role test_stray login in role taxclaims_definer; ${here('alter database %I owner to test_stray')}`,
    mend: 'revoke taxclaims_definer from test_stray',
  },
  {
    finding: 'database_owner',
    what: 'a reporting login that owns the database, though it is a member of the house’s owner',
    object: 'test_stray',
    bad: `create role test_stray login in role taxclaims_reporting, taxclaims_owner;
      ${here('alter database %I owner to test_stray')}`,
    mend: 'revoke taxclaims_owner from test_stray',
  },
  {
    finding: 'login_owns',
    what: 'a login of the house that owns a schema',
    object: 'test_bi',
    bad: 'create schema odd authorization test_bi',
  },
  {
    finding: 'reporting_objection',
    what: 'a login with grants that was taken out of its group',
    object: 'test_bi',
    bad: `select reporting.grant_client('test_bi', '${idOf('a', 'clients')}'); revoke taxclaims_reporting from test_bi`,
  },
  {
    finding: 'reporting_objection',
    what: 'a login with all clients that was put into another role of that name',
    object: 'test_bi',
    bad: `select reporting.grant_all_clients('test_bi'); create role taxclaims_reporting_odd; grant taxclaims_reporting_odd to test_bi`,
  },
  {
    finding: 'reporting_objection',
    what: 'grants of a login that was dropped',
    object: 'test_bi',
    bad: `select reporting.grant_client('test_bi', '${idOf('a', 'clients')}'); drop role test_bi`,
  },
  {
    finding: 'parameter_granted',
    what: 'the right to switch triggers and foreign keys off',
    object: 'session_replication_role',
    bad: 'grant set on parameter session_replication_role to test_bi',
    reads: {
      sql: 'set local session_replication_role = replica; show session_replication_role',
      seen: 'replica',
    },
    named: true,
  },
  {
    finding: 'parameter_granted',
    what: 'the right to change a setting of the whole server',
    object: 'work_mem',
    bad: 'grant alter system on parameter work_mem to public',
    named: true,
  },
  setting(
    'a login that begins without triggers, foreign keys and audit records',
    'alter role test_bi set session_replication_role = replica',
    'test_bi',
  ),
  setting(
    'a database whose sessions look names up where others make them',
    here('alter database %I set search_path = elsewhere, public'),
    'every role',
  ),
  setting(
    'a path on which the names of Postgres come last',
    'alter role test_bi in database postgres reset all; alter role test_bi set search_path = public, pg_catalog',
    'test_bi',
  ),
  setting(
    'a login that loads a library',
    `alter role test_bi set session_preload_libraries = 'elsewhere'`,
    'test_bi',
  ),
  setting(
    'a login that becomes another role before it has said anything',
    here('alter role test_bi in database %I set role = taxclaims_reporting_all'),
    'test_bi',
  ),
  setting('a login without row security', 'alter role test_bi set row_security = off', 'test_bi'),
];

/** What a DBA sets for a login or the database, and is told nothing of. */
export const HARMLESS: readonly string[] = [
  'alter role test_bi set search_path = reporting',
  `alter role test_bi set search_path = "$user", reporting, public`,
  `alter role test_bi set temp_file_limit = '2GB'`,
  `alter role test_bi set statement_timeout = '2min'`,
  `alter role test_bi set idle_in_transaction_session_timeout = '5min'`,
  'alter role test_bi set default_transaction_read_only = on',
  'alter role test_bi set enable_bitmapscan = off',
  here(`alter database %I set work_mem = ''64MB''`),
  here(`alter database %I set timezone = ''Europe/Paris''`),
  here('alter database %I set log_min_duration_statement = 500'),
  here('alter database %I set jit = off'),
  `alter role test_bi set session_preload_libraries = 'auto_explain'`,
  'grant set on parameter temp_file_limit to test_bi',
  'grant pg_checkpoint to test_bi',
  'create role test_other login bypassrls in role pg_read_all_data',
  `create schema own; create type own.kind as enum ('a'); create cast (own.kind as varchar) with inout`,
  'create schema own; create table own.notes (id integer, note text); grant usage on schema own to test_bi; grant select on own.notes to test_bi',
  `create schema own; create function own.only_mine() returns integer language sql security definer return 1`,
  'create schema own; create view own.places with (security_invoker) as select client_id from reporting.sites; grant select on own.places to test_bi',
  'create schema own; create extension pg_trgm schema own; create extension unaccent schema own',
];
