import type { Breakage } from './breakage.ts';

export const settings: readonly Breakage[] = [
  {
    title: 'the API’s sessions are replicas',
    lets: 'no trigger and no foreign key holds what the API writes',
    make: 'alter role api_production set session_replication_role = replica',
  },
  {
    title: 'all sessions of the database are replicas',
    lets: 'no trigger and no foreign key holds anybody',
    make: 'alter database :"DBNAME" set session_replication_role = replica',
  },
  {
    title: 'all sessions of all databases are replicas, by alter role all',
    lets: 'no trigger and no foreign key holds anybody',
    make: 'alter role all set session_replication_role = replica',
  },
  {
    title: 'all sessions of the server are replicas, by the configuration',
    lets: 'no trigger and no foreign key holds anybody',
    make: ['alter system set session_replication_role = replica', 'select pg_reload_conf()'],
    undo: ['alter system reset session_replication_role', 'select pg_reload_conf()'],
  },
  {
    title: 'the API begins as an administrator',
    lets: 'a statement of the API outside a request has the whole system',
    make: `alter role api_production set role = 'taxclaims_admin'`,
  },
  {
    title: 'a client for requests that say none',
    lets: 'a request without clients reads ACME',
    make: `alter database :"DBNAME" set "app.client_access" = '{c1000000-0000-4000-8000-000000000001}'`,
  },
  {
    title: 'a user for requests that say none',
    lets: 'records of the API name Ada for what she did not do',
    make: `alter role api_production set "app.user_id" = 'e1000000-0000-4000-8000-000000000001'`,
  },
  {
    title: 'an equality of another schema first on the API’s search_path',
    lets: 'every id equals every other in the API’s statements',
    make: `create schema hacks;
           create function hacks.same(uuid, uuid) returns boolean language sql immutable return true;
           create operator hacks.= (leftarg = uuid, rightarg = uuid, function = hacks.same);
           grant usage on schema hacks to public;
           alter role api_production set search_path = hacks, pg_catalog`,
  },
  {
    title: 'an auditor finds other views first',
    lets: 'what the auditor asks by name is answered by a table of the DBA’s',
    make: `create schema nice; grant usage on schema nice to taxclaims_auditor;
           create table nice.findings (said text); grant select on nice.findings to taxclaims_auditor;
           alter role auditor_anna set search_path = nice, audit`,
  },
  {
    title: 'the API is in another time zone',
    lets: 'invoices are dated and numbered in the wrong year at its turn',
    make: `alter role api_production set timezone = 'Pacific/Kiritimati'`,
  },
  {
    title: 'damaged pages are emptied without a word',
    lets: 'rows and audit records go and nobody hears of it',
    make: 'alter database :"DBNAME" set zero_damaged_pages = on',
  },
  {
    title: 'new passwords as MD5',
    lets: 'verifiers that a thief of the catalog cracks or uses as they are',
    make: [`alter system set password_encryption = 'md5'`, 'select pg_reload_conf()'],
    undo: ['alter system reset password_encryption', 'select pg_reload_conf()'],
  },
  {
    title: 'a login’s password as MD5',
    lets: 'its verifier is as good as the password to whoever reads it',
    make: `set local password_encryption = 'md5'; alter role api_production password 'api-secret'`,
  },
  {
    title: 'all statements and their values in the server’s log',
    lets: 'whoever reads the log reads every tenant',
    make: [
      `alter system set log_statement = 'all'`,
      'alter system set log_parameter_max_length = -1',
      'select pg_reload_conf()',
    ],
    undo: [
      'alter system reset log_statement',
      'alter system reset log_parameter_max_length',
      'select pg_reload_conf()',
    ],
  },
  {
    title: 'statements of the API in the log, by a setting of the role',
    lets: 'whoever reads the log reads every tenant',
    make: `alter role api_production set log_min_duration_statement = 0`,
  },
  {
    title: 'the WAL is copied to a share',
    lets: 'whoever reads the share reads the cluster',
    make: [
      `alter system set archive_command = 'cp %p /mnt/share/%f'`,
      'alter system set archive_mode = on',
      'select pg_reload_conf()',
    ],
    undo: [
      'alter system reset archive_command',
      'alter system reset archive_mode',
      'select pg_reload_conf()',
    ],
  },
  {
    title: 'commits do not wait for the disk',
    lets: 'an answered request and its audit record are lost in a crash',
    make: 'alter role api_production set synchronous_commit = off',
  },
  {
    title: 'plans of all statements in the log, by a library in every session',
    lets: 'whoever reads the log reads the values of every tenant’s statements',
    make: `alter database :"DBNAME" set session_preload_libraries = 'auto_explain';
           alter database :"DBNAME" set "auto_explain.log_min_duration" = 0`,
  },
];
