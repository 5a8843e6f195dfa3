import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { shortPatience } from './apply.ts';
import { refusedAt } from './refused.ts';
import { sqlFolder } from '../sql-folder.ts';

/** Works as the owner of the tables, with short waits for locks; a failed transaction is rolled back. */
export async function asOwner<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query(`set role taxclaims_owner; set lock_timeout = ${await shortPatience(client)}`);
  try {
    return await work();
  } finally {
    // Two queries: statements of one text would be one transaction. It fails only where the connection is lost.
    await client
      .query('rollback')
      .then(() => client.query('reset role; reset lock_timeout'))
      .catch(() => undefined);
  }
}

/** Begins a migration that may take long and makes no object: the first ones run before the tables are locked. */
const ALONE = '-- In a transaction of its own';

export async function divide(
  names: readonly string[],
  folder = sqlFolder('migrations'),
): Promise<{ readonly beforehand: readonly string[]; readonly withRights: readonly string[] }> {
  const texts = await Promise.all(names.map((name) => readFile(join(folder, `${name}.sql`), 'utf8')));
  const first = texts.findIndex((text) => !text.startsWith(ALONE));
  const count = first < 0 ? names.length : first;
  return { beforehand: names.slice(0, count), withRights: names.slice(count) };
}

export async function runAlone(client: pg.Client, name: string): Promise<void> {
  await asOwner(client, async () => {
    await client.query('begin');
    await runMigration(client, name);
    await client.query('commit');
  });
}

const LIST = `
  create table if not exists app.migrations (
      id serial primary key,
      name character varying(255) not null,
      run_on timestamp without time zone not null
  )`;

/** Applies one migration in the transaction under way, as the owner. @throws MigrationError naming the file and the reason */
export async function runMigration(client: pg.Client, name: string): Promise<void> {
  const file = `migrations/${name}.sql`;
  const text = await readFile(sqlFolder(file), 'utf8');
  await client.query(LIST);
  try {
    await client.query(text);
  } catch (error) {
    throw refusedAt(file, text, error);
  }
  await client.query('insert into app.migrations (name, run_on) values ($1, now())', [name]);
}
