import { readFile } from 'node:fs/promises';
import { runner } from 'node-pg-migrate';
import type pg from 'pg';
import type { Logger } from 'pino';
import { shortPatience } from './apply.ts';
import { refusedAt } from './refused.ts';
import { sqlFolder } from '../sql-folder.ts';

/**
 * Works as the owner of the tables, waiting as briefly for each lock as a deploy does. Whatever a failure leaves open
 * is taken back, so that the same can be tried again.
 */
export async function asOwner<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query(`set role taxclaims_owner; set lock_timeout = ${await shortPatience(client)}`);
  try {
    return await work();
  } finally {
    // In turn, as statements of one text would be one transaction. It fails only where the connection is lost.
    await client
      .query('rollback')
      .then(() => client.query('reset role; reset lock_timeout'))
      .catch(() => undefined);
  }
}

/**
 * Applies one migration in a transaction of its own, and enters it into the list.
 * @throws MigrationError naming the file and what Postgres said.
 */
export async function runMigration(client: pg.Client, name: string, log: Logger): Promise<void> {
  const debug = (message: string): void => {
    log.debug(message);
  };
  try {
    await runner({
      dbClient: client,
      dir: sqlFolder('migrations'),
      direction: 'up',
      file: name,
      migrationsTable: 'migrations',
      migrationsSchema: 'app',
      // Our own lock is held, and its waiting has an end.
      noLock: true,
      // What it says of a failure is the whole file; the error that it throws is enough.
      logger: { debug, info: debug, warn: debug, error: debug },
    });
  } catch (error) {
    const file = `migrations/${name}.sql`;
    throw refusedAt(file, await readFile(sqlFolder(file), 'utf8'), error);
  }
}
