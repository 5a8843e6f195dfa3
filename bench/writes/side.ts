import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import type { RequestContext } from '../../src/db/request-settings.ts';
import { connected } from '../../test/support/database.ts';
import type { TestDatabase } from '../../test/support/database.ts';
import { CLIENT, USER } from './rows.ts';
import { WORK } from './work.ts';

export interface Side {
  /** Runs the SQL statements of the named piece of work once in one of the two compared databases. */
  work(name: string): Promise<void>;
  /** Returns the processor time that the connection’s Postgres backend has spent so far, in microseconds. */
  spent(): Promise<number>;
  /** Returns the size of the audit log on disk, and what percentage of the changes of claims changed no index. */
  footprint(): Promise<string>;
  serverVersion(): Promise<string>;
  close(): Promise<void>;
}

export const context: RequestContext = {
  caller: {
    subject: 'idp|bench',
    userId: USER,
    role: 'ACCOUNT_MANAGER',
    clientAccess: [CLIENT],
    accessDigest: '',
    issuedAt: 4_000_000_000,
    email: undefined,
    name: undefined,
  },
  requestId: 'bench',
  action: 'PUT /api/reclamations/00000000-0000-4000-8000-000000000000',
  ipAddress: '192.0.2.1',
  userAgent: 'bench',
  readOnly: false,
};

/** The audit log is one table in earlier releases, and partitioned by month in later ones. */
const FOOTPRINT = `
  with parts as (
    select 'public.audit_logs'::regclass as relid
    union
    select relid from pg_partition_tree('public.audit_logs')
  )
  select format(
      '%s bytes of heap and %s of indexes for an audit record, %s %% of the claims'' changes touched no index',
      (select round(sum(pg_relation_size(relid)) / (select count(*) from public.audit_logs)) from parts),
      (select round(sum(pg_indexes_size(relid)) / (select count(*) from public.audit_logs)) from parts),
      (select 100 * n_tup_hot_upd / n_tup_upd from pg_stat_user_tables where relid = 'public.reclamations'::regclass)
  )`;

export async function openSide({ adminUrl, apiUrl }: TestDatabase): Promise<Side> {
  const database = openDatabase({
    ...{ url: apiUrl, poolSize: 1, statementTimeoutMs: 60_000, preparedStatements: true },
    log: pino({ level: 'silent' }),
  });
  const admin = await connected(adminUrl);
  const first = async (text: string): Promise<string> =>
    String((await admin.query<[unknown]>({ text, rowMode: 'array' })).rows[0]?.[0]);
  let calls = 0;
  return {
    async work(name) {
      const { own = false, statements } = WORK[name] ?? { statements: () => [] };
      for (const statement of own ? statements(++calls) : []) await database.callAsLogin(statement);
      if (!own) await database.run(context, statements(++calls));
    },
    spent: async () => {
      // The connection pool closes connections that were idle for long, so the id of the Postgres backend is read again
      // each time.
      const { rows } = await database.callAsLogin({ text: 'select pg_backend_pid()', values: [] });
      const backend = rows[0]?.[0];
      const [taken] = (await first(`select pg_read_file('/proc/${String(backend)}/schedstat')`)).split(' ', 1);
      return Number(taken) / 1_000;
    },
    footprint: () => first(FOOTPRINT),
    serverVersion: () => first('show server_version'),
    async close() {
      await database.close();
      await admin.end();
    },
  };
}
