import { pino } from 'pino';
import type { Logger } from 'pino';
import { createDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { SessionPool } from '../../src/db/pool.ts';
import type { RequestContext } from '../../src/db/request-settings.ts';
import type { StatementParameter, Statement } from '../../src/db/statement.ts';
import { createTestDatabase, isPooled, withAdmin } from './database.ts';
import type { TestDatabase } from './database.ts';
import { adminOf } from './world.ts';

export const MINE = '11111111-1111-4111-8111-111111111111';
export const FOREIGN = '22222222-2222-4222-8222-222222222222';

/**
 * A test database and a pool with a single connection, so that each request gets the connection as the request before
 * left it.
 */
export interface Probe {
  readonly postgres: TestDatabase;
  readonly database: Database;
  /** Reads the role and settings of the test’s database connection as the next request finds them. */
  connection(): Promise<Connection>;
  /** Reads the ids of all rows of the table `probe`. */
  stored(): Promise<number[]>;
  admin(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Waits until the row of `pg_stat_activity` for the test’s database connection meets the given condition. */
  until(condition: string): Promise<void>;
  /** Makes the database server end the test’s connection. */
  terminate(): Promise<void>;
  close(): Promise<void>;
}

interface Connection {
  readonly pid: string;
  readonly state: readonly (string | null)[];
}

const SETTINGS = [
  'role',
  'transaction_read_only',
  'app.client_access',
  'app.request_id',
  'app.actor',
  'app.user_id',
  'app.action',
  'app.ip_address',
  'app.user_agent',
];

const OURS = `datname = current_database() and application_name like 'taxclaims-api%'`;

/** The state of a clean database connection: no role, writable, and no setting (a reset setting is ''). */
export const CLEAN = ['none', 'off', '', '', '', '', '', '', ''];

export const sql = (text: string, ...values: StatementParameter[]): Statement => ({ text, values });

/**
 * Returns a statement that inserts a row into the table `probe` for the test’s client MINE, or for another given
 * client.
 */
export const insert = (id: number, client: string = MINE): Statement =>
  sql('insert into public.probe (id, client_id) values ($1, $2)', id, client);

/** Returns the context of a writing request by an account manager who has one client, with the given changes. */
export function request(changes: Partial<RequestContext> = {}): RequestContext {
  return {
    caller: {
      subject: 'idp|manager',
      userId: '33333333-3333-4333-8333-333333333333',
      role: 'ACCOUNT_MANAGER',
      clientAccess: [MINE],
      accessDigest: '',
      issuedAt: 1_700_000_000,
      email: undefined,
      name: undefined,
    },
    requestId: 'request-1',
    action: 'POST /api/probe',
    ipAddress: '192.0.2.1',
    userAgent: 'a browser',
    readOnly: false,
    ...changes,
  };
}

export async function openProbe(
  options: {
    statementTimeoutMs?: number;
    preparedStatements?: boolean;
    maxWaiting?: number;
    /** A database address to which the test connects instead of its own test database. */
    databaseUrl?: (apiUrl: string) => string;
    /** True if the test connects to Postgres without the pooler, to check the state of a database session. */
    isDirect?: true;
    log?: Logger;
  } = {},
): Promise<Probe> {
  const postgres = await createTestDatabase();
  const { statementTimeoutMs = 10_000, preparedStatements = options.isDirect ?? !isPooled(), maxWaiting } = options;
  const pool = new SessionPool({
    url: options.databaseUrl?.(postgres.apiUrl) ?? (options.isDirect ? postgres.directUrl : postgres.apiUrl),
    poolSize: 1,
    statementTimeoutMs,
    preparedStatements,
    ...(maxWaiting !== undefined && { maxWaiting }),
    log: options.log ?? pino({ level: 'silent' }),
  });
  const database = createDatabase(pool, statementTimeoutMs);
  const admin = adminOf(postgres.adminUrl);
  await admin(FIXTURE);
  return {
    ...{ postgres, database, admin },
    connection: () =>
      pool.withSession(async (session) => {
        const columns = SETTINGS.map((name) => `coalesce(current_setting('${name}', true), '')`);
        const probe = sql(`select pg_backend_pid(), ${columns.join(', ')}`);
        const { rows } = await session.sendOne(probe, 'probe', 'idle');
        const [pid, ...state] = rows[0] ?? [];
        return { pid: pid ?? '', state };
      }),
    stored: async () => {
      const rows = await admin('select id from public.probe order by id');
      return rows.map(({ id }) => Number(id));
    },
    until: (condition) =>
      withAdmin(postgres.adminUrl, async (client) => {
        const waiting = `select from pg_stat_activity where ${OURS} and (${condition})`;
        while ((await client.query(waiting)).rowCount === 0);
      }),
    terminate: async () => {
      await admin(`with ours as materialized (select pid from pg_stat_activity where ${OURS})
        select pg_terminate_backend(pid, 5000) from ours`);
    },
    close: async () => {
      await database.close();
      await postgres.close();
    },
  };
}

/** SQL that creates a table with rows of clients and a deferred constraint, and functions that change the session. */
const FIXTURE = `
  create table public.probe (
    id integer primary key,
    client_id uuid not null,
    parent_id integer references public.probe deferrable initially deferred
  );
  alter table public.probe enable row level security;
  create policy probe_all on public.probe to taxclaims_account_manager, taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));
  grant select, insert, update, delete on public.probe to taxclaims_account_manager, taxclaims_client;

  create function public.leave_setting() returns void language sql
    begin atomic; select set_config('app.client_access', '{${FOREIGN}}', false); end;
  create function public.leave_role() returns void language sql
    begin atomic; select set_config('role', 'taxclaims_client', false); end;
  create function public.forget_prepared() returns void language plpgsql as $$
    begin execute 'deallocate all'; end $$;
`;
