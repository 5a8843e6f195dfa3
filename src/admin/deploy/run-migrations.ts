import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { readLockTimeoutMs } from './apply.ts';
import { sqlFileError } from './refused.ts';
import { sqlFolder } from '../../db/sql-folder.ts';

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

export async function migrationsByPhase(
  names: readonly string[],
  folder = sqlFolder('migrations'),
): Promise<{ readonly beforehand: readonly string[]; readonly withRights: readonly string[] }> {
  const migrationTexts = await Promise.all(names.map((name) => readFile(join(folder, `${name}.sql`), 'utf8')));
  const firstUnmarkedMigrationIndex = migrationTexts.findIndex((text) => !text.startsWith(OWN_TRANSACTION_MARK));
  const beforehandMigrationCount = firstUnmarkedMigrationIndex < 0 ? names.length : firstUnmarkedMigrationIndex;
  return {
    beforehand: names.slice(0, beforehandMigrationCount),
    withRights: names.slice(beforehandMigrationCount),
  };
}

export async function runInOwnTransaction(client: pg.Client, name: string): Promise<void> {
  await runAsOwner(client, async () => {
    await client.query('begin');
    await runMigration(client, name);
    await client.query('commit');
  });
}

const MIGRATION_LIST_CREATION_SQL = `
  create table if not exists app.migrations (
      id serial primary key,
      name character varying(255) not null,
      run_on timestamp without time zone not null
  )`;

export async function runMigration(client: pg.Client, name: string): Promise<void> {
  const migrationPath = `migrations/${name}.sql`;
  const migrationSql = await readFile(sqlFolder(migrationPath), 'utf8');
  await client.query(MIGRATION_LIST_CREATION_SQL);
  try {
    await client.query(migrationSql);
  } catch (error) {
    throw sqlFileError(migrationPath, migrationSql, error);
  }
  await client.query('insert into app.migrations (name, run_on) values ($1, now())', [name]);
}
