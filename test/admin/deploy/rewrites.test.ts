import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { migrationsOf, readSqlFiles } from '../../../src/admin/deploy/sql-files.ts';
import { createEmptyDatabase, withAdmin } from '../../support/database.ts';

/** The migrations that rewrite whole tables. They are older than the rule that no migration rewrites a table. */
const REWRITES: Readonly<Record<string, readonly string[]>> = {
  '0022_search_texts': ['cadastres', 'clients', 'reclamations', 'sites'],
};

/**
 * SQL that stores the name of each table that a migration rewrites, with the number of migrations applied before it.
 */
const WATCH = `
  create schema watch;
  create table watch.rewrites (migrations_before bigint, name text);
  create function watch.note() returns event_trigger language plpgsql security definer as $$
  begin
      insert into watch.rewrites
      select (select count(*) from app.migrations), pg_event_trigger_table_rewrite_oid()::regclass::text;
  end $$;
  create event trigger watch_rewrites on table_rewrite execute function watch.note();`;

test('no new migration rewrites a table, which would block all requests to that table', async () => {
  const database = await createEmptyDatabase();
  try {
    await withAdmin(database.adminUrl, (admin) => admin.query(WATCH));
    await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
    const { rows } = await withAdmin(database.adminUrl, (admin) =>
      admin.query<{ migrations_before: string; name: string }>('select * from watch.rewrites order by 1, 2'),
    );
    const names = [...migrationsOf(await readSqlFiles()).keys()];
    const found = Map.groupBy(rows, (row) => names[Number(row.migrations_before)] ?? 'after all of them');
    const tables = [...found].map(([file, of]) => [file, of.map(({ name }) => name)]);
    expect(Object.fromEntries(tables)).toEqual(REWRITES);
  } finally {
    await database.close();
  }
});
