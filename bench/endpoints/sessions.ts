import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { RequestContext } from '../../src/db/request-settings.ts';
import { buildSettingsStatement } from '../../src/db/settings.ts';
import type { Statement } from '../../src/db/statement.ts';
import type { Contender } from '../measure.ts';
import { isBackend, processorTime } from '../processor-time.ts';

const TIMEOUT_MS = 60_000;

/**
 * A statement runs this many times between two readings of Postgres’s processor time, because one run is too short to
 * measure.
 */
const BATCH = 10;
const ASLEEP_MS = 1;

const AS_TEXT = { getTypeParser: () => (value: unknown) => value };

/** A database connection in a transaction that has the settings of an API request. */
export interface Session {
  rows(statement: Statement): Promise<readonly unknown[]>;
  /**
   * Returns a piece of work that runs the SQL statement ten times. Its cost is the processor time of Postgres, or the
   * elapsed time if Postgres runs on another machine.
   */
  contender(name: string, statement: Statement): Contender;
}

/** Runs `work` under the database role of an API request, to which the policies apply. */
export async function asRequest<T>(
  apiUrl: string,
  request: RequestContext,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return inTransaction(apiUrl, [buildSettingsStatement(request, TIMEOUT_MS)], work);
}

/** Runs `work` with the settings of an API request as a superuser, to whom no policy applies. */
export async function asSuperuser<T>(
  adminUrl: string,
  request: RequestContext,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const settings = [buildSettingsStatement(request, TIMEOUT_MS), { text: `set local role none`, values: [] }];
  return inTransaction(adminUrl, settings, work);
}

async function inTransaction<T>(
  url: string,
  settings: readonly Statement[],
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, types: AS_TEXT });
  await client.connect();
  try {
    await client.query('begin');
    for (const { text, values } of settings) await client.query(text, [...values]);
    // Parallel workers of Postgres are off, because their processor time would not be counted.
    await client.query('set local max_parallel_workers_per_gather = 0');
    const clock = await clockOf(client);
    return await work({
      rows: async (statement) => (await ask(client, statement)).rows,
      contender: (name, statement) => ({
        name,
        run: async () => {
          for (let i = 0; i < BATCH; i += 1) await ask(client, statement);
          if (clock !== undefined) await delay(ASLEEP_MS);
        },
        ...(clock && { clock }),
      }),
    });
  } finally {
    await client.end();
  }
}

/**
 * Prepares an SQL statement under the digest of its text, because Postgres cuts long names and would confuse two texts
 * with the same beginning.
 */
async function ask(client: pg.Client, { text, values }: Statement): Promise<pg.QueryArrayResult> {
  const name = createHash('md5').update(text).digest('hex');
  return client.query({ name, text, values: [...values], rowMode: 'array' });
}

async function clockOf(client: pg.Client): Promise<(() => number) | undefined> {
  const { rows } = await client.query<{ pid: string }>('select pg_backend_pid() as pid');
  const pid = Number(rows[0]?.pid);
  return isBackend(pid) ? () => processorTime([pid]) : undefined;
}

/** Converts the milliseconds of a statement’s ten runs into the microseconds of one run. */
export function microseconds(batchMs: number | undefined): number {
  return ((batchMs ?? Number.NaN) * 1_000) / BATCH;
}
