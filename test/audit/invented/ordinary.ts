import type { Ordinary } from './breakage.ts';

const quiet = true;

export const ordinary: readonly Ordinary[] = [
  { quiet, title: 'analyze', make: 'analyze' },
  { quiet, title: 'vacuum of one table', make: ['vacuum (analyze) public.reclamations'], undo: [] },
  { quiet, title: 'vacuum full of the audit log', make: ['vacuum full public.audit_logs'], undo: [] },
  { quiet, title: 'reindex of a table', make: 'reindex table public.sites' },
  { quiet, title: 'reindex concurrently', make: ['reindex table concurrently public.users'], undo: [] },
  { quiet, title: 'cluster by an index', make: 'cluster public.sites using sites_client_id_idx' },
  { quiet, title: 'a checkpoint', make: 'checkpoint' },
  {
    quiet,
    title: 'another login of the API',
    make: `create role api_staging login password 's' in role taxclaims_api`,
  },
  {
    quiet,
    title: 'a login of a BI tool with its limits',
    make: `create role bi_borealis login password 's' connection limit 5 in role taxclaims_reporting;
           alter role bi_borealis set temp_file_limit = '2GB';
           alter role bi_borealis set statement_timeout = '2min';
           alter role bi_borealis set idle_in_transaction_session_timeout = '5min';
           alter role bi_borealis set default_transaction_read_only = on;
           alter role bi_borealis set search_path = reporting;
           select reporting.grant_client('bi_borealis', 'c1000000-0000-4000-8000-000000000002')`,
  },
  {
    quiet,
    title: 'a client granted by the owner',
    make: `select reporting.grant_client('bi_acme', 'c1000000-0000-4000-8000-000000000002')`,
    by: 'owner',
  },
  {
    quiet,
    title: 'a client revoked',
    make: `select reporting.revoke_client('bi_acme', 'c1000000-0000-4000-8000-000000000001')`,
  },
  { quiet, title: 'all clients granted', make: `select reporting.grant_all_clients('bi_acme')` },
  {
    quiet,
    title: 'all clients granted and taken back',
    make: `select reporting.grant_all_clients('bi_acme'); select reporting.revoke_all_clients('bi_acme')`,
  },
  { quiet, title: 'grants adopted after a restore', make: `select reporting.adopt_grants('bi_acme')` },
  {
    quiet,
    title: 'a BI login dropped, with its grants',
    make: `select reporting.revoke_client(login, client_id) from reporting.granted where login = 'bi_acme';
           drop role bi_acme`,
  },
  {
    quiet,
    title: 'another auditor',
    make: `create role auditor_bea login password 's' in role taxclaims_auditor`,
  },
  { quiet, title: 'a password changed', make: `alter role api_production password 'another-secret'` },
  { quiet, title: 'a password that ends', make: `alter role auditor_anna valid until '2030-01-01'` },
  { quiet, title: 'a bound to connections', make: 'alter role api_production connection limit 50' },
  {
    quiet,
    title: 'the API’s login exchanged for a new one',
    make: `create role api_next login password 's' in role taxclaims_api; drop role api_production`,
  },
  {
    quiet,
    title: 'a login closed for the night',
    make: 'alter role bi_acme nologin; alter role bi_acme login',
  },
  { quiet, title: 'a comment', make: `comment on table public.sites is 'Establishments of a client.'` },
  {
    quiet,
    title: 'more memory for the server',
    make: [`alter system set work_mem = '16MB'`, 'select pg_reload_conf()'],
    undo: ['alter system reset work_mem', 'select pg_reload_conf()'],
  },
  {
    quiet,
    title: 'slow checkpoints and vacuums in the log',
    make: [`alter system set log_autovacuum_min_duration = '1s'`, 'select pg_reload_conf()'],
    undo: ['alter system reset log_autovacuum_min_duration', 'select pg_reload_conf()'],
  },
  { quiet, title: 'memory for one login', make: `alter role bi_acme set work_mem = '64MB'` },
  {
    quiet,
    title: 'bitmap scans off for a login with many clients',
    make: 'alter role bi_acme set enable_bitmapscan = off',
  },
  {
    quiet,
    title: 'a bound to the API’s statements',
    make: `alter role api_production set statement_timeout = '30s'`,
  },
  { quiet, title: 'an auditor’s search_path', make: 'alter role auditor_anna set search_path = audit' },
  {
    quiet,
    title: 'a bound to the database’s connections',
    make: 'alter database :"DBNAME" with connection limit 200',
  },
  {
    quiet,
    title: 'parallel workers for the database',
    make: 'alter database :"DBNAME" set max_parallel_workers_per_gather = 1',
  },
  {
    quiet,
    title: 'room in the pages of a table',
    make: 'alter table public.audit_logs set (fillfactor = 95)',
    by: 'owner',
  },
  {
    quiet,
    title: 'autovacuum of a table more often',
    make: 'alter table public.reclamations set (autovacuum_vacuum_scale_factor = 0.02)',
    by: 'owner',
  },
  {
    quiet,
    title: 'finer statistics of a column',
    make: 'alter table public.reclamations alter column client_id set statistics 500; analyze public.reclamations',
    by: 'owner',
  },
  {
    quiet,
    title: 'statistics of two columns together',
    make: 'create statistics public.reclamations_place (dependencies) on client_id, site_id from public.reclamations',
    by: 'owner',
  },
  {
    quiet,
    title: 'an index for a slow report',
    make: 'create index reclamations_tax_year_idx on public.reclamations (client_id, tax_year)',
    by: 'owner',
  },
  {
    quiet,
    title: 'a login for monitoring, which does not enter this database',
    make: `create role zabbix login password 's' in role pg_monitor`,
  },
  { quiet, title: 'a login of another application', make: `create role wiki login password 's'` },
  {
    quiet,
    title: 'a database of another application',
    make: ['create role wiki_owner login', 'create database invented_wiki owner wiki_owner'],
    undo: ['drop database if exists invented_wiki', 'drop role if exists wiki_owner'],
  },
  { quiet, title: 'the configuration read again', make: ['select pg_reload_conf()'], undo: [] },
  { quiet, title: 'counters of statistics begun anew', make: 'select pg_stat_reset()' },
  { quiet, title: 'the next file of WAL', make: 'select pg_switch_wal()' },
  {
    quiet,
    title: 'rows looked at with the eyes of a request',
    make: `set local role taxclaims_tax_specialist;
           select set_config('app.client_access', '{c1000000-0000-4000-8000-000000000001}', true);
           select id, status, amount from public.reclamations`,
  },
  {
    quiet,
    title: 'a client, a site and a claim more',
    make: `insert into public.clients (id, company_name, contact_email)
             values ('c1000000-0000-4000-8000-000000000003', 'Cobalt', 'c@cobalt.example');
           insert into public.sites (id, client_id, site_name)
             values ('51000000-0000-4000-8000-000000000003', 'c1000000-0000-4000-8000-000000000003', 'Lyon');
           insert into public.reclamations (client_id, site_id, claim_type, amount)
             values ('c1000000-0000-4000-8000-000000000003', '51000000-0000-4000-8000-000000000003', 'TF', 1)`,
  },
  {
    quiet,
    title: 'a client deleted with all that is its',
    make: `delete from public.clients where company_name = 'Borealis'`,
  },
  {
    quiet,
    title: 'a user made inactive',
    make: `update public.users set is_active = false where email = 'tom@acme.example'`,
  },
  { quiet, title: 'kept answers deleted', make: 'delete from app.idempotency_keys' },
  {
    quiet,
    title: 'a constraint validated once more',
    make: 'alter table public.sites validate constraint sites_client_id_fkey',
  },
  {
    quiet,
    title: 'the tables of a dump locked for reading',
    make: 'lock table public.clients, public.audit_logs in access share mode',
  },
  {
    quiet,
    title: 'a temporary table of the superuser’s',
    make: 'create temporary table looked_at on commit drop as select id from public.clients',
  },
  {
    quiet,
    title: 'the collation’s version noted after an upgrade of the system',
    make: 'alter database :"DBNAME" refresh collation version',
  },
];
