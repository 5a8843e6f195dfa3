import pg from 'pg';
import { runner } from 'node-pg-migrate';
import type { Logger } from 'pino';
import { applyPolicies, applyRoles, directory, shortPatience } from './apply.ts';
import { holdingMigrationLock } from './migration-lock.ts';
import { retryingOnContention } from './contention.ts';

const OLDEST_SERVER = 150_000;
const LONGEST_WAIT_MS = 120_000;

export interface MigrateOptions {
  /** Who may create roles and objects in the database. */
  readonly adminUrl: string;
  readonly log: Logger;
  /** How long to wait for another run on the same database; two minutes when absent. */
  readonly longestWaitMs?: number;
}

/**
 * Brings a database to the present: roles, migrations, then functions, triggers, policies and grants whole.
 * Safe to repeat, to run twice at once and under load.
 * @throws MigrationError naming the file and what Postgres said, or that another run holds the lock.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { log, longestWaitMs = LONGEST_WAIT_MS } = options;
  const client = new pg.Client({
    connectionString: options.adminUrl,
    application_name: 'taxclaims-migrate',
    connectionTimeoutMillis: 10_000,
  });
  // A connection that dies between two statements must reject the next one, not end the process.
  client.on('error', (error) => {
    log.error({ err: error }, 'the connection of the migration was lost');
  });
  await client.connect();
  try {
    await refuseOldServer(client);
    await holdingMigrationLock(client, longestWaitMs, async () => {
      await retryingOnContention(log, () => applyRoles(client));
      await retryingOnContention(log, () => runMigrations(client, log));
      await retryingOnContention(log, () => applyPolicies(client));
    });
  } finally {
    await client.end();
  }
  log.info('the database is migrated and its policies are applied');
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    `select current_setting('server_version_num')::integer as version`,
  );
  const version = rows[0]?.version ?? 0;
  if (version < OLDEST_SERVER) {
    throw new Error(`the server is Postgres ${String(Math.floor(version / 10_000))}; 15 or newer is needed`);
  }
}

async function runMigrations(client: pg.Client, log: Logger): Promise<void> {
  await client.query(`set role taxclaims_owner; set lock_timeout = ${String(await shortPatience(client))}`);
  try {
    await runner({
      dbClient: client,
      dir: directory('migrations'),
      direction: 'up',
      migrationsTable: 'migrations',
      migrationsSchema: 'app',
      // Our own lock is held, and its waiting has an end.
      noLock: true,
      logger: {
        debug: (message: string) => {
          log.debug(message);
        },
        info: (message: string) => {
          log.debug(message);
        },
        warn: (message: string) => {
          log.warn(message);
        },
        error: (message: string) => {
          log.error(message);
        },
      },
    });
  } finally {
    await client.query(`reset role; reset lock_timeout`);
  }
}
