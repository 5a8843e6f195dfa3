import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../../src/admin/deploy/migrate.ts';
import { createTestDatabase, withAdmin } from '../../support/database.ts';
import { FORGET_APPLIED } from '../../support/release-before.ts';
import { openForTest } from './databases.ts';

/* These tests run a deploy after somebody dropped schemas or tables, or deleted rows of app.migrations. */

const log = pino({ level: 'silent' });
const opened = openForTest();

const LIST = 'select name, digest from app.migrations order by name collate "C"';
/** SQL that reads the versions (xmin) of the rows that a deploy creates or changes in the catalogs of Postgres. */
const CATALOG = `
  select c.oid, c.xmin from pg_class as c where c.relnamespace in (select oid from pg_namespace where nspname !~ '^pg_')
  union all select f.oid, f.xmin from pg_proc as f where f.oid > 16383
  union all select p.oid, p.xmin from pg_policy as p
  order by 1`;
const rowsOf = (adminUrl: string, sql: string): Promise<unknown[]> =>
  withAdmin(adminUrl, async (admin) => (await admin.query<Record<string, unknown>>(sql)).rows);

describe('db:migrate after somebody dropped schemas, tables or rows', () => {
  test.each([
    ['a row in the middle', `name like '0014%'`],
    ['the first row', `name like '0001%'`],
    ['the latest row', `name = (select max(name) from app.migrations)`],
    ['every row', 'true'],
  ])(
    'after somebody deleted %s of the table app.migrations, db:migrate runs no migration again, and its error has the SQL that restores the table',
    async (_what, where) => {
      const { adminUrl } = await opened(createTestDatabase());
      const before = await rowsOf(adminUrl, LIST);
      await withAdmin(adminUrl, (admin) => admin.query(`delete from app.migrations where ${where}`));
      const left = await rowsOf(adminUrl, LIST);
      const refusal = await migrate({ adminUrl, log }).catch(String);
      const [, statement = ''] =
        /app\.migrations has lost its rows of .*: (insert into app\.migrations .*)$/.exec(String(refusal)) ?? [];
      expect(await rowsOf(adminUrl, LIST)).toEqual(left);
      await withAdmin(adminUrl, (admin) => admin.query(statement));
      await migrate({ adminUrl, log });
      expect(await rowsOf(adminUrl, LIST)).toEqual(before);
    },
  );

  test('if a row of app.migrations is missing and db:migrate cannot tell whether its migration was applied, db:migrate prints the SQL that restores the row', async () => {
    const { adminUrl } = await opened(createTestDatabase());
    await withAdmin(adminUrl, (admin) =>
      admin.query(`${FORGET_APPLIED} delete from app.migrations where name like '0014%'`),
    );
    const refusal = await migrate({ adminUrl, log }).catch(String);
    const [, statement = ''] =
      /0014_\w+ comes before \d{4}_\w+, which is already applied.*(insert into app\.migrations .*)$/.exec(
        String(refusal),
      ) ?? [];
    await withAdmin(adminUrl, (admin) => admin.query(statement));
    await migrate({ adminUrl, log });
  });

  test.each([
    ['app.migrations', 'drop table app.migrations', /app\.migrations is missing.*restore the schema app from a backup/],
    ['schema app', 'drop schema app cascade', /app\.migrations is missing.*pg_restore --schema=app/],
    [
      'a table of tenants',
      'drop table public.documents cascade',
      /public\.documents: dropped since the last deploy.*pg_restore --schema=public --table=documents/,
    ],
    [
      'schema reporting',
      'drop schema reporting cascade',
      /reporting\.grants: dropped since the last deploy.*create schema reporting .* pg_restore --schema=reporting\)/,
    ],
    [
      'schema audit',
      'drop schema audit cascade',
      /audit\.acceptances.*: dropped since the last deploy.*create schema audit .* pg_restore --schema=audit\)/,
    ],
    [
      'a table of schema audit',
      'drop table audit.acceptances cascade',
      /audit\.acceptances: dropped since the last deploy.*pg_restore --schema=audit --table=acceptances/,
    ],
  ])(
    'after somebody dropped %s, db:migrate changes nothing, and names the command that restores what was dropped',
    async (_what, drop, message) => {
      const { adminUrl } = await opened(createTestDatabase());
      await withAdmin(adminUrl, (admin) => admin.query(drop));
      const before = await rowsOf(adminUrl, CATALOG);
      await expect(migrate({ adminUrl, log })).rejects.toThrow(message);
      expect(await rowsOf(adminUrl, CATALOG)).toEqual(before);
    },
  );
});
