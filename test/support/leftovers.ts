import pg from 'pg';
import { withAdmin } from './database.ts';

/** A pattern for the beginning of the names of a test run’s databases and logins, and of its connection. */
const RUN = '^taxclaims_run_[0-9a-f]{8}';

/** Drops the databases and logins of test runs that were killed. */
export async function dropAbandoned(adminUrl: string): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ run: string }>(
      `select distinct substring(made.name from $1) as run
       from (select datname::text as name from pg_database union all select rolname::text from pg_roles) as made
       where made.name ~ $1
           and substring(made.name from $1) not in (select application_name from pg_stat_activity)`,
      [RUN],
    );
    for (const { run } of rows) await dropRun(admin, run);
  });
}

/** Drops every database and login whose name begins with the name of the test run. */
export async function dropRun(admin: pg.Client, run: string): Promise<void> {
  for (const [kind, catalog] of [
    ['database', 'select datname::text as name from pg_database'],
    ['role', 'select rolname::text as name from pg_roles'],
  ] as const) {
    const { rows } = await admin.query<{ name: string }>(
      `select name from (${catalog}) as made where starts_with(name, $1)`,
      [run],
    );
    const how = kind === 'database' ? 'with (force)' : '';
    for (const { name } of rows) {
      await admin.query(`drop ${kind} if exists ${pg.escapeIdentifier(name)} ${how}`);
    }
  }
}
