import { createHash } from 'node:crypto';
import type pg from 'pg';
import { MigrationError } from './migration-error.ts';
import { isTableOwnedByServiceOwner } from './locks.ts';
import { migrationsOf, type SqlFiles } from './sql-files.ts';

/** Digests that two migration files had before their text changed; migration 0039 removes the resulting differences. */
const FORMER_DIGESTS: ReadonlyMap<string, string> = new Map([
  ['0036_search_words_1_filled', 'fe2988e8e878f903f49735f44a1844f884d7788797de76b42da0f451364b3ace'],
  ['0036_search_words_2_kept', '61e4ed7c3941531e51b229231ecd07e3eafd7c933da27b1ff0302f185b08a928'],
]);

/** @throws MigrationError where the database is newer than this code, or app.migrations does not agree with the files */
export async function findPendingMigrations(client: pg.Client, files: SqlFiles): Promise<string[]> {
  const migrations = migrationsOf(files);
  const applied = await readAppliedMigrations(client);
  const unknown = applied.map(({ name }) => name).filter((name) => !migrations.has(name));
  refuse(
    unknown,
    `the database has migrations that this release does not have (${unknown.join(', ')}): deploy the release that added them, or a later one`,
  );
  const edited = applied.filter(
    ({ name, digest }) =>
      digest !== null && digest !== digestOf(migrations.get(name) ?? '') && digest !== FORMER_DIGESTS.get(name),
  );
  refuse(
    edited,
    `changed after this database applied them: ${edited.map(({ name }) => `db/migrations/${name}.sql`).join(', ')}. Restore the files, and put the changes into a new migration`,
  );
  const pending = [...migrations.keys()].filter((name) => !applied.some((one) => one.name === name));
  const before = await readNamesAtLastDeploy(client);
  const lost = pending.filter((name) => before.includes(name));
  refuse(
    lost,
    `app.migrations has lost its rows of ${lost.join(', ')}, which were applied before the last deploy: ${insertionOf(lost)}`,
  );
  const latest = applied.at(-1)?.name ?? '';
  const misplaced = pending.filter((name) => name < latest);
  refuse(
    misplaced,
    `${misplaced.join(', ')} comes before ${latest}, which is already applied: give a new migration the next number. ` +
      `If it was applied, app.migrations has lost its row: ${insertionOf(misplaced)}`,
  );
  return pending;
}

function refuse(found: readonly unknown[], message: string): void {
  if (found.length > 0) throw new MigrationError(message);
}

function insertionOf(names: readonly string[]): string {
  return `insert into app.migrations (name, run_on) values ${names.map((name) => `('${name}', now())`).join(', ')}`;
}

export async function storeMigrationDigests(client: pg.Client, files: SqlFiles): Promise<void> {
  const migrations = migrationsOf(files);
  await client.query(
    `update app.migrations as m
     set digest = f.digest
     from unnest($1::text[], $2::text[]) as f (name, digest)
     where m.name = f.name and m.digest is null`,
    [[...migrations.keys()], [...migrations.values()].map(digestOf)],
  );
}

async function readAppliedMigrations(client: pg.Client) {
  if (!(await isTableOwnedByServiceOwner(client, 'migrations'))) return [];
  // Reads the digest through to_jsonb, because app.migrations has no digest column in databases of the first releases.
  const { rows } = await client.query<{ name: string; digest: string | null }>(
    `select m.name, to_jsonb(m) ->> 'digest' as digest from app.migrations as m order by m.name collate "C"`,
  );
  return rows;
}

/** Reads the names from the function app.applied_migrations(), which each deploy writes for the health check. */
async function readNamesAtLastDeploy(client: pg.Client): Promise<readonly string[]> {
  const { rowCount } = await client.query(`select where to_regprocedure('app.applied_migrations()') is not null`);
  if (rowCount === 0) return [];
  const { rows } = await client.query<{ names: string[] }>('select app.applied_migrations() as names');
  return rows[0]?.names ?? [];
}

/** @throws MigrationError where the service's tables exist without the list of migrations */
export async function refuseMissingMigrationList(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select from pg_class as c
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and c.relowner = to_regrole('taxclaims_owner')`,
  );
  if (rows.length === 0) return;
  throw new MigrationError(
    'the table app.migrations is missing or does not belong to taxclaims_owner, although the schema public has tables: ' +
      'restore the schema app from a backup (pg_restore --schema=app; for the table alone --table=migrations), and run the command again',
  );
}

/** Replaces CRLF line ends before hashing, because a checkout on Windows may have them. */
function digestOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
