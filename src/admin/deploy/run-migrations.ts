import { runner, type MigrationBuilder } from 'node-pg-migrate';
import type pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import { sqlFolder } from '../../db/sql-folder.ts';
import { readLockTimeoutMs } from './locks.ts';
import { MigrationError } from './migration-error.ts';
import { sqlFileError } from './refused.ts';
import { migrationsOf, type SqlFiles } from './sql-files.ts';

export async function runAsOwner<T>(client: pg.Client, callback: () => Promise<T>): Promise<T> {
  await client.query(`set role taxclaims_owner; set lock_timeout = ${await readLockTimeoutMs(client)}`);
  try {
    return await callback();
  } finally {
    // Sends `rollback` and `reset` as two queries, because Postgres runs all statements of one query in one
    // transaction. `rollback` and `reset` fail only on a lost connection.
    await client
      .query('rollback')
      .then(() => client.query('reset role; reset lock_timeout'))
      .catch(() => undefined);
  }
}

/**
 * The mark of a long migration that creates no object and can therefore run in its own transaction. If the first
 * pending migrations have the mark, they run before the deploy locks tables.
 */
const OWN_TRANSACTION_MARK = '-- In a transaction of its own';

/** Returns those of the pending migrations that run before the deploy locks tables. */
export function findMigrationsBeforehand(files: SqlFiles, pending: readonly string[]): readonly string[] {
  const texts = migrationsOf(files);
  const unmarked = pending.findIndex((name) => texts.get(name)?.startsWith(OWN_TRANSACTION_MARK) !== true);
  return unmarked < 0 ? pending : pending.slice(0, unmarked);
}

export function runInOwnTransaction(client: pg.Client, files: SqlFiles, name: string): Promise<void> {
  return runAsOwner(client, () => runMigrations(client, files, name));
}

const SILENT_LOGGER = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Runs the pending migrations in the open transaction, or only the one of name `single` in a transaction of its own. */
export async function runMigrations(client: pg.Client, files: SqlFiles, single?: string): Promise<void> {
  let running: readonly [name: string, text: string] | undefined;
  const units = [...migrationsOf(files)].map(([name, text]) => {
    const up = (builder: MigrationBuilder): void => {
      running = [name, text];
      if (single === undefined) builder.noTransaction();
      builder.sql(text);
    };
    return { id: `${name}.sql`, filePaths: [], actions: { up } };
  });
  try {
    await runner({
      dbClient: client,
      direction: 'up',
      dir: sqlFolder('migrations'),
      ignorePattern: '.*(?<!\\.sql)',
      migrationLoaderStrategies: [{ extensions: ['.sql'], loader: () => Promise.resolve(units) }],
      migrationsSchema: 'app',
      migrationsTable: 'migrations',
      checkOrder: false,
      noLock: true,
      singleTransaction: false,
      logger: SILENT_LOGGER,
      ...(single !== undefined && { file: single }),
    });
  } catch (error) {
    if (running !== undefined) throw sqlFileError(`migrations/${running[0]}.sql`, running[1], error);
    if (!(error instanceof Error) || error instanceof DatabaseError) throw error;
    // node-pg-migrate writes the stack of an error about the table app.migrations into its message.
    throw new MigrationError(error.message.split('\n', 1).join(), { cause: error });
  }
}
