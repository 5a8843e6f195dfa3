import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { withAdmin } from '../../test/support/database.ts';

/** The longest wait of a request during a migration, and the table that the request used. */
export interface Longest {
  readonly ms: number;
  readonly table: string;
}

export interface Waits {
  readonly read: Longest;
  readonly write: Longest;
  readonly requests: number;
}

export interface Requests {
  /** Stops sending requests, waits until the open ones are answered, and returns the longest response times. */
  end(): Promise<Waits>;
  close(): Promise<void>;
}

/**
 * The milliseconds between two requests on a table. Shorter pauses would occupy the processor, and longer pauses would
 * miss short locks.
 */
const PAUSE_MS = 20;

/** The SQL that returns the tables with rows that a request can read and change by id. */
const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  join pg_attribute as a on a.attrelid = c.oid and a.attname = 'id' and a.atttypid = 'uuid'::regtype
  where n.nspname in ('public', 'app') and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`;

interface Line {
  readonly kind: 'read' | 'write';
  readonly table: string;
  readonly client: pg.Client;
  /** The SQL of a request during a migration: one read, or one committed write. */
  readonly sql: string;
}

/**
 * Reads and writes one row of every table that has rows, one request after the other, with one connection for each
 * table. The requests have no time-out. No triggers run, because their functions can be missing between two migrations.
 */
export async function startRequests(adminUrl: string): Promise<Requests> {
  const lines: Line[] = [];
  let over = false;
  let requests = 0;
  const longest = { read: { ms: 0, table: '' }, write: { ms: 0, table: '' } };
  const send = async ({ kind, table, client, sql }: Line): Promise<void> => {
    while (!over) {
      const start = performance.now();
      await client.query(sql);
      const ms = performance.now() - start;
      requests += 1;
      if (ms > longest[kind].ms) longest[kind] = { ms, table };
      await delay(PAUSE_MS);
    }
  };
  const close = async (): Promise<void> => {
    over = true;
    for (const { client } of lines) await client.end();
  };
  try {
    for (const { table, id } of await rowsOf(adminUrl)) {
      lines.push(
        await openLine(adminUrl, 'read', table, `select from ${table} where id = '${id}'`),
        await openLine(adminUrl, 'write', table, `update ${table} set id = id where id = '${id}'`),
      );
    }
    // The first request of each database connection does not count, because it also fills the caches of the database
    // session.
    for (const { client, sql } of lines) await client.query(sql);
  } catch (error) {
    await close();
    throw error;
  }
  const sending = Promise.all(lines.map(send));
  // The caller of `end` gets the errors of the requests, so this handler only prevents an unhandled rejection.
  sending.catch(() => undefined);
  return {
    async end() {
      over = true;
      await sending;
      return { ...longest, requests };
    },
    close,
  };
}

async function rowsOf(adminUrl: string): Promise<readonly { table: string; id: string }[]> {
  return withAdmin(adminUrl, async (admin) => {
    const found: { table: string; id: string }[] = [];
    for (const { name } of (await admin.query<{ name: string }>(TABLES)).rows) {
      const { rows } = await admin.query<{ id: string }>(`select id from ${name} limit 1`);
      for (const { id } of rows) found.push({ table: name, id });
    }
    return found;
  });
}

async function openLine(adminUrl: string, kind: Line['kind'], table: string, sql: string): Promise<Line> {
  const client = new pg.Client({
    connectionString: adminUrl,
    options: '-c session_replication_role=replica -c statement_timeout=0',
  });
  // A lost database connection fails the query that waits on it, so the error event of the connection needs no
  // handling.
  client.on('error', () => undefined);
  await client.connect();
  return { kind, table, client, sql };
}
