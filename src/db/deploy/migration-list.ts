import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { sqlFolder } from '../sql-folder.ts';
import { MigrationError } from './migration-error.ts';
import { ownerHas } from './migration-lock.ts';

/** The migrations of this checkout by name, in their order, with the digest of each. */
export type MigrationFiles = ReadonlyMap<string, string>;

interface Applied {
  readonly name: string;
  readonly digest: string | null;
}

export async function readMigrationFiles(): Promise<MigrationFiles> {
  const entries = (await readdir(sqlFolder('migrations'))).filter((entry) => entry.endsWith('.sql')).sort();
  const texts = await Promise.all(
    entries.map((entry) => readFile(join(sqlFolder('migrations'), entry), 'utf8')),
  );
  return new Map(entries.map((entry, index) => [entry.replace(/\.sql$/, ''), digestOf(texts[index] ?? '')]));
}

/**
 * What this checkout has and the database has not.
 * @throws MigrationError where the database was migrated by newer code, or by files that were different.
 */
export async function pendingMigrations(client: pg.Client, files: MigrationFiles): Promise<string[]> {
  const applied = await appliedMigrations(client);
  const unknown = applied.filter(({ name }) => !files.has(name)).map(({ name }) => name);
  if (unknown.length > 0) {
    throw new MigrationError(
      `the database is newer than this code, which does not know ${unknown.join(', ')}: deploy the release that brought it, or a later one`,
    );
  }
  const edited = applied.filter(({ name, digest }) => digest !== null && digest !== files.get(name));
  if (edited.length > 0) {
    throw new MigrationError(
      `what was applied here is not what ${edited.map(({ name }) => `db/migrations/${name}.sql`).join(', ')} says now: put the file back, and the change into a new one`,
    );
  }
  const names = new Set(applied.map(({ name }) => name));
  const pending = [...files.keys()].filter((name) => !names.has(name));
  const latest = applied.at(-1)?.name ?? '';
  const late = pending.filter((name) => name < latest);
  if (late.length > 0) {
    throw new MigrationError(
      `${late.join(', ')} would come before ${latest}, which was applied without it: give it the next number`,
    );
  }
  return pending;
}

/** Writes down as which text each was applied, for the runs to come. */
export async function recordDigests(client: pg.Client, files: MigrationFiles): Promise<void> {
  await client.query(
    `update app.migrations as m
     set digest = f.digest
     from unnest($1::text[], $2::text[]) as f (name, digest)
     where m.name = f.name and m.digest is null`,
    [[...files.keys()], [...files.values()]],
  );
}

async function appliedMigrations(client: pg.Client): Promise<readonly Applied[]> {
  if (!(await ownerHas(client, 'migrations'))) return [];
  // By way of JSON, for the list has had its digests only since one of the migrations in it.
  const { rows } = await client.query<Applied>(
    `select m.name, to_jsonb(m) ->> 'digest' as digest from app.migrations as m order by m.name collate "C"`,
  );
  return rows;
}

/** Of the text without its line ends, which a checkout may have in another form. */
function digestOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
