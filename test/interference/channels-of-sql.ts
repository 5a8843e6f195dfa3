import pg from 'pg';
import { asDatabase } from '../support/database.ts';
import type { Logins } from './logins.ts';
import { bySql, EVERYTHING } from './channel.ts';
import type { Channel } from './channel.ts';
import { namesOf } from './firm.ts';
import type { LoginName } from './logins.ts';

const OTHERS = namesOf({ seed: 'many' });

/**
 * A way by which the answer to an SQL statement tells the caller about other tenants. The whole answer is allowed to
 * depend on the other tenants’ rows.
 */
const statementChannel = (
  name: string,
  size: string,
  sql: string,
  more: Partial<Channel> & { login?: LoginName } = {},
): Channel => {
  const { login = 'reporting', ...rest } = more;
  return { ...{ name, size, tells: EVERYTHING }, steps: () => [{ login, sql }], ...rest };
};

/** Connects the BI login of another tenant. This login reads clients in a transaction that stays open. */
const connected =
  (logins: Logins): NonNullable<Channel['others']> =>
  async ({ postgres }) => {
    const client = new pg.Client({
      connectionString: asDatabase(postgres.adminUrl, postgres.name, logins.neighbour),
    });
    await client.connect();
    await client.query('begin; select count(*) from reporting.clients');
    return () => client.end();
  };

const OF_DATABASE = 'datname = current_database()';

/**
 * How a caller learns something about other tenants by SQL, as docs/channels.md says. A BI login sends the SQL unless
 * another login is named.
 */
export const ofSql = (logins: Logins): readonly Channel[] => [
  statementChannel('explain', 'about 5 digits', 'explain select * from reporting.reclamations'),
  statementChannel(
    'explain-analyze',
    'about 5 digits',
    `set local enable_indexscan = off; set local enable_bitmapscan = off;
     explain (analyze, costs off, timing off, summary off, buffers off) select * from reporting.reclamations`,
  ),
  statementChannel('order-without-order-by', 'the plan', 'select id from reporting.users'),
  statementChannel(
    'rows-of-a-table',
    'about 5 digits',
    `select relname, reltuples, relpages from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  ),
  statementChannel(
    'size-of-a-table',
    'pages',
    `select pg_relation_size(oid) from pg_class where relname = 'reclamations' and relkind = 'r'`,
  ),
  statementChannel('size-of-the-database', 'pages', 'select pg_database_size(current_database())'),
  statementChannel(
    'activity-of-a-table',
    'a count for each kind of change',
    `select relname, n_tup_ins, n_live_tup from pg_stat_user_tables where schemaname = 'public' order by 1`,
  ),
  statementChannel(
    'use-of-an-index',
    'a count for each index',
    `select pg_stat_force_next_flush();
     select indexrelname, idx_tup_read from pg_stat_user_indexes where schemaname = 'public' order by 1`,
  ),
  statementChannel(
    'activity-of-the-database',
    'counts',
    `select tup_inserted, tup_returned from pg_stat_database where ${OF_DATABASE}`,
  ),
  statementChannel(
    'sessions',
    'a name for each',
    `select usename from pg_stat_activity where ${OF_DATABASE} and usename like '%_neighbour' order by 1`,
    { others: connected(logins) },
  ),
  statementChannel(
    'locks',
    'tables in use',
    `select relation::regclass::text, mode from pg_locks as l join pg_stat_activity as a using (pid)
     where a.${OF_DATABASE} and a.usename like '%_neighbour' and l.locktype = 'relation' order by 1, 2`,
    { others: connected(logins) },
  ),
  statementChannel('transactions', '32 bits', 'select pg_snapshot_xmax(pg_current_snapshot())', {
    others: bySql(() => 'select pg_current_xact_id()'),
  }),
  statementChannel('write-ahead-log', '64 bits', 'select pg_current_wal_insert_lsn()', {
    // Another tenant must write something. This UPDATE always changes a row, whereas the counters of invoices have no
    // row before the first invoice is issued.
    others: bySql(() => 'update app.administrator_guard set passed_at = passed_at'),
  }),
  statementChannel(
    'names-of-logins',
    'a name for each',
    `select rolname from pg_roles where rolname like '%another_tool' order by 1`,
    {
      others: async (world) => {
        await world.admin(`create role ${logins.reporting.name}_another_tool in role taxclaims_reporting`);
        return async () => {
          await world.admin(`drop role ${logins.reporting.name}_another_tool`);
        };
      },
    },
  ),
  statementChannel('refusals-for-an-auditor', 'every refusal', 'select count(*) from audit.denials', {
    login: 'auditor',
  }),
  statementChannel(
    'clients-for-an-auditor',
    'who sees a known client',
    `select * from audit.who_can_see('${OTHERS.clients}')`,
    {
      login: 'auditor',
    },
  ),
  statementChannel(
    'changes-for-an-auditor',
    'a count and days',
    `select detail from audit.findings where finding = 'identity_change_undelivered'`,
    { login: 'auditor', tells: /: \d+(?=; days)|: \d+(?=\D*$)/g },
  ),
  statementChannel(
    'impossible-rows-for-an-auditor',
    'a count for each rule',
    `select object, detail from audit.findings where finding = 'impossible_row' order by 1, 2`,
    { login: 'auditor' },
  ),
  statementChannel('login-of-the-api', 'everything', `select * from app.locate('sites', '${OTHERS.sites}')`, {
    login: 'api',
  }),
];
