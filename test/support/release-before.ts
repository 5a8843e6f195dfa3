import { applyRoles, createMigrationLockTable } from '../../src/admin/deploy/apply.ts';
import { runInOwnTransaction } from '../../src/admin/deploy/run-migrations.ts';
import { migrationsOf, readSqlFiles } from '../../src/admin/deploy/sql-files.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase, withAdmin } from './database.ts';

/** SQL that drops the function with which a deploy would restore deleted rows of app.migrations. */
export const FORGET_APPLIED = 'drop function app.applied_migrations();';
/** SQL that removes the comment from which a deploy knows that this release is already deployed. */
export const FORGET_RELEASE = 'comment on table audit.applied is null;';

/** Makes the next deploy apply all SQL files again in the given database. */
export async function forgetRelease(adminUrl: string): Promise<void> {
  await withAdmin(adminUrl, (admin) => admin.query(FORGET_RELEASE));
}

/** SQL for the rights of an earlier release, in which a CLIENT reads only the CLIENT’s own client. */
const RULES = `
  do $rights$
  declare
      command text;
  begin
      for command in
          select format('grant select (%I) on %s to taxclaims_auditor', a.attname, c.oid::regclass)
          from pg_class as c
          join pg_attribute as a on a.attrelid = c.oid and a.attnum = 1
          where c.relowner = 'taxclaims_owner'::regrole and c.relkind in ('r', 'p') and c.relnamespace <> 'app'::regnamespace
      loop
          execute command;
      end loop;
  end
  $rights$;
  create policy clients_of_old on public.clients for select to taxclaims_client
      using (id = any (current_setting('app.client_access')::uuid[]));
  grant select (id) on public.clients to taxclaims_client;`;

/** Creates a migrated database on which the next deploy applies all SQL files again. */
export async function createDatabaseToDeploy(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await forgetRelease(database.adminUrl);
  return database;
}

/**
 * Creates a database of an earlier release, which has the migrations before the given number, and other policies than
 * the present release.
 */
export async function createDatabaseBefore(number: string): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  const files = await readSqlFiles();
  await withAdmin(database.adminUrl, async (admin) => {
    await applyRoles(admin, files);
    await createMigrationLockTable(admin, files);
    for (const name of migrationsOf(files).keys()) if (name < number) await runInOwnTransaction(admin, files, name);
    await admin.query(RULES);
  });
  return database;
}
