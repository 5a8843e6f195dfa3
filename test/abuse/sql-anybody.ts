import { alike } from './attack.ts';
import { FOREIGN_ROWS } from '../support/tenant.ts';
import type { SqlRow } from './over-sql.ts';
import type { World } from './world.ts';
import { words } from '../support/words.ts';

/* The database must refuse these SQL attacks for every login and role. */

const DENIED = '42501';

/**
 * The SQLSTATEs with which Postgres refuses an attack by SQL: the right is missing, the object does not exist, or the
 * statement is not possible in a transaction.
 */
const UNABLE = `${DENIED}|42704|0A000|25001|42809|42P01|42883|22023|42601|42710|3F000`;

/** SQL statements that would change rights, create objects, or reach files and settings of the server. */
const REFUSED: readonly (readonly [source: string, statements: readonly string[]])[] = [
  [
    'rls-pitfalls 23, 24, 32',
    [
      'set role postgres',
      'set role taxclaims_owner',
      'set role taxclaims_definer',
      'set role pg_read_all_data',
      'set role pg_execute_server_program',
      'set session authorization postgres',
      'set session authorization default; set role taxclaims_owner',
      `select set_config('role', 'taxclaims_owner', false)`,
      `select set_config('session_authorization', 'postgres', false)`,
    ],
  ],
  [
    'rowsecurity.sql: only the owner changes policies',
    [
      'alter policy users_select_admin on public.users using (false)',
      'create policy own on public.sites using (true)',
      'alter table public.sites disable row level security',
      'alter table public.sites owner to current_user',
      'create trigger own before insert on public.sites for each row execute function app.record_change()',
      'alter table public.sites disable trigger all',
      'drop table public.sites',
    ],
  ],
  [
    'rls-pitfalls 15',
    [
      'truncate public.sites',
      'truncate public.clients cascade',
      'truncate public.audit_logs',
      'truncate app.idempotency_keys',
    ],
  ],
  [
    'rls-pitfalls 28',
    [
      'create temporary table own (id integer)',
      'create table public.own (id integer)',
      'create table app.own (id integer)',
      'create schema own',
      'select 1 as a into own',
      'create unlogged table reporting.own (id integer)',
    ],
  ],
  [
    'rls-pitfalls 22',
    [
      'create function public.own() returns integer language sql return 1',
      'create function pg_temp.own() returns integer language sql return 1',
      'create or replace function app.client_access() returns uuid[] language sql return null',
      'create cast (text as uuid) with inout',
      'create language plpython3u',
      'create extension file_fdw',
    ],
  ],
  [
    'CWE-250',
    [
      'create role own',
      'create database own',
      'alter role current_user superuser',
      "alter role postgres password 'x'",
      'grant taxclaims_owner to current_user',
      'grant taxclaims_admin to current_user',
      'grant pg_read_all_data to current_user',
      'alter system set row_security = off',
      'alter database taxclaims set row_security = off',
      'alter default privileges for role taxclaims_owner grant all on tables to public',
      'reassign owned by taxclaims_owner to current_user',
      'create server own foreign data wrapper postgres_fdw',
    ],
  ],
  [
    'CVE-2019-9193 and its like',
    [
      `copy public.clients to '/tmp/own'`,
      `copy (select 1) to program 'id'`,
      `copy public.sites from program 'id'`,
      `copy public.sites from '/etc/passwd'`,
      `select pg_read_file('/etc/passwd')`,
      `select pg_ls_dir('.')`,
      'select lo_creat(-1)',
      `select lo_import('/etc/passwd')`,
      `select lo_from_bytea(0, 'x')`,
      `select lo_export(1, '/tmp/x')`,
      'select pg_current_logfile()',
      'select pg_reload_conf()',
      'select pg_switch_wal()',
      `select pg_create_restore_point('x')`,
      'checkpoint',
      `load 'plpgsql'`,
      'select pg_promote()',
      `select pg_create_physical_replication_slot('own')`,
    ],
  ],
  [
    'ASVS 5, 13.2.2',
    [
      'select * from pg_catalog.pg_authid',
      'select * from pg_catalog.pg_statistic',
      'select * from pg_catalog.pg_largeobject',
      'select * from pg_catalog.pg_user_mapping',
      'select * from pg_catalog.pg_hba_file_rules',
      'select * from pg_catalog.pg_file_settings',
      'select * from pg_catalog.pg_subscription',
      'set session_replication_role = replica',
      'set log_statement = none',
      'set temp_file_limit = -1',
      `set log_min_messages = panic`,
      'set lo_compat_privileges = on',
      'lock table app.deploy_lock',
    ],
  ],
];

/** Queries of Postgres’s catalogs. Postgres answers them, but without data of other tenants. */
const HARMLESS: readonly string[] = [
  ...words(`
    pg_stat_activity pg_stats pg_stats_ext pg_locks pg_prepared_statements pg_prepared_xacts pg_cursors
    pg_class pg_policies pg_proc pg_views pg_rules pg_trigger pg_constraint pg_attrdef pg_description
    pg_shdescription pg_settings pg_db_role_setting pg_roles pg_auth_members pg_stat_user_tables
    pg_statio_user_tables pg_stat_user_functions pg_stat_progress_copy pg_stat_replication pg_stat_ssl
    pg_stat_io pg_backend_memory_contexts pg_event_trigger pg_publication pg_replication_slots pg_seclabel
  `).map((name) => `select * from pg_catalog.${name}`),
  ...words(`
    tables columns column_privileges role_table_grants table_privileges views routines triggers
    check_constraints key_column_usage user_mappings
  `).map((name) => `select * from information_schema.${name}`),
  `select schema_to_xml('public', true, true, '')`,
  `select xmlparse(document '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>')`,
  `select current_setting('app.client_access', true), current_setting('data_directory', true), current_setting('hba_file', true)`,
  'select pg_size_pretty(pg_database_size(current_database()))',
  'select txid_current()',
  `select has_table_privilege('taxclaims_admin', 'public.clients', 'select')`,
  `select string_agg(pg_get_functiondef(oid), '') from pg_proc where pronamespace = 'app'::regnamespace`,
];

export function forbidden(): SqlRow[] {
  const rows = REFUSED.flatMap(([source, statements]) => statements.map((sql): SqlRow => [sql, source, UNABLE, sql]));
  return [...rows, GRANTED];
}

/**
 * Attempts to lock whole tables. Postgres allows such a lock to every role that has the right to delete rows of the
 * table.
 */
export function locks(must: string): SqlRow[] {
  return [
    ...['access exclusive', 'exclusive', 'share'].map((mode): SqlRow => {
      return [`a lock of the clients in ${mode} mode`, 'API4:2023', must, `lock table public.clients in ${mode} mode`];
    }),
    ['a lock of the sites in a do block', 'API4:2023', must, 'do $$ begin lock table public.sites; end $$'],
  ];
}

/**
 * A login without the right to grant tries to grant a right to everybody. Postgres only warns of this, so a second
 * statement checks that nobody has got the right.
 */
const GRANTED: SqlRow = [
  ...(['a grant of a right to everybody', 'CWE-250', `no rows|${DENIED}`] as const),
  `grant select on public.clients to public; select 1 where has_table_privilege('taxclaims_auditor', 'public.clients', 'select')`,
];

export function harmless(): SqlRow[] {
  return HARMLESS.map(
    (sql): SqlRow => [
      sql,
      'a catalog, which shows no rows of tenants',
      `rows|no rows|${DENIED}|42P01|22023|2200M`,
      sql,
    ],
  );
}

/** For each table, one column that at least one role has the right to read or write. */
const COLUMNS: Readonly<Record<string, string>> = {
  'public.clients': 'address',
  'public.sites': 'address',
  'public.cadastres': 'address',
  'public.reclamations': 'grounds',
  'public.reclamation_history': 'to_status',
  'public.documents': 'filename',
  'public.notes': 'text',
  'public.partners': 'address',
  'public.client_partners': 'client_id',
  'public.factures': 'due_date',
  'public.partner_invoices': 'due_date',
  'public.users': 'name',
  'reporting.grants': 'login',
};

/** For each table, every way to read, change, lock or delete rows of another tenant. */
export function everyTable({ mine, foreign, foreignMarks }: World): SqlRow[] {
  const [word = ''] = foreignMarks;
  return Object.entries(FOREIGN_ROWS).flatMap(([table, conditionOf]): SqlRow[] => {
    const column = COLUMNS[table] ?? 'id';
    const theirs = conditionOf(foreign);
    // Earlier attacks on download links created users. Each of these users has access only to the attacker’s client or
    // to no client, so the users’ rows are not data of another tenant.
    const own = table === 'public.users' ? `r.client_access <@ array['${mine.clients}'::uuid]` : conditionOf(mine);
    const from = `from ${table} as r`;
    const none = `no rows|${DENIED}`;
    const some = `rows|no rows|${DENIED}`;
    const like = `r.${column}::text like '%' || '${word.slice(0, 8)}' || '%'`;
    return [
      ...alike(['rowsecurity.sql', none], {
        [`foreign rows of ${table}`]: `select r.${column} ${from} where ${theirs}`,
        [`foreign rows of ${table} by a join with itself`]: `select s.${column} ${from} right join ${table} as s on true where ${theirs.replaceAll('r.', 's.')}`,
      }),
      ...alike(['rowsecurity.sql', some], {
        [`every row of ${table}`]: `select r.${column} ${from}`,
        [`every column of ${table}`]: `select * ${from}`,
        [`whole rows of ${table}`]: `select r ${from}`,
        [`rows of ${table} as JSON`]: `select to_jsonb(r) ${from}`,
        [`the physical places of foreign rows of ${table}`]: `select r.tableoid, r.ctid, r.xmin ${from} where ${theirs}`,
        [`a sample of ${table}`]: `select r.${column} from ${table} as r tablesample system (100)`,
        [`rows of ${table} by FROM ONLY`]: `select r.${column} from only ${table} as r`,
        [`rows of ${table} by a lateral join`]: `select l.* from (values (1)) as v, lateral (select r.${column} ${from}) as l`,
        [`rows of ${table} by a recursive query`]: `with recursive w as (select r.${column} ${from} union select w.${column} from w) select * from w`,
        [`rows of ${table} by a cursor`]: `declare c cursor for select r.${column} ${from}; fetch all from c`,
      }),
      ...alike(['rls-pitfalls 22', some], {
        [`rows of ${table} by query_to_xml`]: `select query_to_xml('select ${column} from ${table}', true, true, '')`,
        [`rows of ${table} by table_to_xml`]: `select table_to_xml('${table}', true, true, '')`,
        [`words of ${table} by ts_stat`]: `select * from ts_stat('select to_tsvector(${column}::text) from ${table}')`,
      }),
      [
        `foreign rows of ${table} by COPY`,
        'rls-pitfalls 16',
        `copy 0|copy 1|copy 2|copy 3|${DENIED}`,
        `copy (select r.${column} ${from} where ${theirs}) to stdout`,
      ],
      [
        `rows of ${table} by a prepared statement`,
        'rls-pitfalls 10',
        some,
        `prepare own as select r.${column} ${from}; execute own`,
      ],
      [
        `rows of ${table} with row_security off`,
        'rls-pitfalls 17',
        `${DENIED}|rows`,
        `set local row_security = off; select r.${column} ${from}`,
      ],
      ...alike(['rls-pitfalls 22', none], {
        [`foreign values of ${table} by a division error`]: `select 1 / length(left(r.${column}::text, 0)) ${from} where ${theirs}`,
        [`foreign values of ${table} by a cast error`]: `select 1 ${from} where ${theirs} and r.${column}::text::integer = 1`,
        [`rows of ${table} with a word of the foreign tenant`]: `select 1 ${from} where ${like}`,
      }),
      [
        `foreign rows of ${table} by EXPLAIN ANALYZE`,
        'rls-pitfalls 20, 21',
        some,
        `explain (analyze, verbose, buffers) select r.${column} ${from} where ${theirs}`,
      ],
      ...alike(['rls-pitfalls 26', none], {
        [`a lock of foreign rows of ${table} by FOR UPDATE`]: `select r.${column} ${from} where ${theirs} for update`,
        [`a lock of foreign rows of ${table} by FOR KEY SHARE`]: `select r.${column} ${from} where ${theirs} for key share`,
      }),
      ...alike(['rls-pitfalls 13', `update 0|${DENIED}`], {
        [`an update of foreign rows of ${table}`]: `update ${table} as r set ${column} = r.${column} where ${theirs}`,
        [`an update of all rows of ${table} except the own ones`]: `update ${table} as r set ${column} = r.${column} where not (${own})`,
      }),
      [
        `an update of foreign rows of ${table} with RETURNING`,
        'rls-pitfalls 11',
        none,
        `update ${table} as r set ${column} = r.${column} where ${theirs} returning r.*`,
      ],
      [
        `a deletion of foreign rows of ${table}`,
        'rls-pitfalls 13',
        `delete 0|${DENIED}`,
        `delete ${from} where ${theirs}`,
      ],
      [
        `a deletion of all rows of ${table} with RETURNING`,
        'rls-pitfalls 11',
        `${some}|23001|23503`,
        `delete ${from} returning r.${column}`,
      ],
      [
        `a deletion of foreign rows of ${table} by MERGE`,
        'rowsecurity.sql',
        `merge 0|${DENIED}`,
        `merge into ${table} as r using (select 1) as s on ${theirs} when matched then delete`,
      ],
      [`a COPY into ${table}`, 'rls-pitfalls 16', `${DENIED}|0A000`, `copy ${table} from stdin`],
    ];
  });
}
