import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import { MigrationError } from './migration-error.ts';
import { isTableOwnedByServiceOwner } from './locks.ts';
import { migrationsOf, type SqlFiles } from './sql-files.ts';

/** Digests that two migration files had before their text changed; migration 0039 removes the resulting differences. */
const FORMER_MIGRATION_DIGESTS: ReadonlyMap<string, string> = new Map([
  ['0036_search_words_1_filled', 'fe2988e8e878f903f49735f44a1844f884d7788797de76b42da0f451364b3ace'],
  ['0036_search_words_2_kept', '61e4ed7c3941531e51b229231ecd07e3eafd7c933da27b1ff0302f185b08a928'],
]);

export async function findPendingMigrations(client: pg.Client, files: SqlFiles): Promise<string[]> {
  const migrations = migrationsOf(files);
  const appliedMigrations = await readAppliedMigrations(client);
  const unknownMigrationNames = appliedMigrations.filter(({ name }) => !migrations.has(name)).map(({ name }) => name);
  if (unknownMigrationNames.length > 0) {
    throw new MigrationError(
      `the database is newer than this code, which does not know ${unknownMigrationNames.join(', ')}: deploy the release that brought it, or a later one`,
    );
  }
  const editedMigrations = appliedMigrations.filter(
    ({ name, digest }) =>
      digest !== null &&
      digest !== computeMigrationDigest(migrations.get(name) ?? '') &&
      digest !== FORMER_MIGRATION_DIGESTS.get(name),
  );
  if (editedMigrations.length > 0) {
    throw new MigrationError(
      `what was applied here is not what ${editedMigrations.map(({ name }) => `db/migrations/${name}.sql`).join(', ')} says now: put the file back, and the change into a new one`,
    );
  }
  const appliedMigrationNames = new Set(appliedMigrations.map(({ name }) => name));
  const pendingMigrationNames = [...migrations.keys()].filter((name) => !appliedMigrationNames.has(name));
  const latestAppliedName = appliedMigrations.at(-1)?.name ?? '';
  const outOfOrderMigrationNames = pendingMigrationNames.filter((name) => name < latestAppliedName);
  if (outOfOrderMigrationNames.length > 0) {
    throw new MigrationError(
      `${outOfOrderMigrationNames.join(', ')} would come before ${latestAppliedName}, which was applied without it: give it the next number. ` +
        `Or it was applied and its line is gone: insert into app.migrations (name, run_on) values ('${outOfOrderMigrationNames[0] ?? ''}', now())`,
    );
  }
  return pendingMigrationNames;
}

/** Restores deleted rows of app.migrations from the function app.applied_migrations(), which each deploy rewrites. */
export async function restoreMigrationList(client: pg.Client, log: Logger): Promise<void> {
  if (!(await isTableOwnedByServiceOwner(client, 'migrations')) || (await readNamesAtLastDeploy(client)).length === 0)
    return;
  const { rows } = await client.query<{ name: string }>(
    `insert into app.migrations (name, run_on)
     select
         lost.name,
         coalesce((select max(m.run_on) from app.migrations as m where m.name < lost.name collate "C"), 'epoch')
     from unnest(app.applied_migrations()) as lost (name)
     where not exists (select from app.migrations as m where m.name = lost.name)
     order by lost.name collate "C"
     returning name`,
  );
  if (rows.length > 0) log.warn(`added to the list of migrations again: ${rows.map(({ name }) => name).join(', ')}`);
}

export async function storeMigrationDigests(client: pg.Client, files: SqlFiles): Promise<void> {
  const migrations = migrationsOf(files);
  await client.query(
    `update app.migrations as m
     set digest = f.digest
     from unnest($1::text[], $2::text[]) as f (name, digest)
     where m.name = f.name and m.digest is null`,
    [[...migrations.keys()], [...migrations.values()].map(computeMigrationDigest)],
  );
}

async function readAppliedMigrations(client: pg.Client) {
  if (!(await isTableOwnedByServiceOwner(client, 'migrations'))) return [];
  // Reads the digest through to_jsonb, because app.migrations has no digest column in databases of the first releases.
  const { rows } = await client.query<{ name: string; digest: string | null }>(
    `select l.name, l.digest
     from (
         select m.name, to_jsonb(m) ->> 'digest' as digest from app.migrations as m
         union all
         select lost.name, null
         from unnest($1::text[]) as lost (name)
         where not exists (select from app.migrations as m where m.name = lost.name)
     ) as l
     order by l.name collate "C"`,
    [await readNamesAtLastDeploy(client)],
  );
  return rows;
}

async function readNamesAtLastDeploy(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query(`select where to_regprocedure('app.applied_migrations()') is not null`);
  if (rows.length === 0) return [];
  const { rows: listed } = await client.query<{ name: string }>(
    'select name from unnest(app.applied_migrations()) as l (name)',
  );
  return listed.map(({ name }) => name);
}

/** @throws MigrationError where the service's tables exist without the list of migrations */
export async function refuseMissingMigrationList(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select from pg_class as c
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and c.relowner = to_regrole('taxclaims_owner')`,
  );
  if (rows.length === 0) return;
  throw new MigrationError(
    'app.migrations, the list of what was applied here, is gone, or no longer the owner’s, while public has tables: ' +
      'restore schema app from a backup (pg_restore --schema=app; of the list alone --table=migrations), and run it again',
  );
}

/** Replaces CRLF line ends before hashing, because a checkout on Windows may have them. */
function computeMigrationDigest(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}
