import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { createEmptyDatabase, withAdmin, type TestDatabase } from '../support/database.ts';
import { startDeploy } from '../support/deploy-process.ts';
import { greetingOf, start } from '../support/process.ts';
import { createDatabaseToDeploy } from '../support/release-before.ts';
import { folderForSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/* These tests interrupt a migration of the database by SIGINT or SIGTERM. */

const ENDED = 'the deploy was ended: Postgres rolls its unfinished step back, and the next deploy repeats the step';

test.each([
  { step: 'migrates its database', logged: /applying \d+ migrations/, folder: await folderForSuite() },
  { step: 'loads the demonstration', logged: /the demonstration is loaded/, folder: await folderForSuite() },
])(
  'a first npm start that gets SIGINT while it $step exits with 0 and never serves, and the next npm start serves',
  async ({ logged, folder }) => {
    const first = start(folder, { PORT: '0' });
    await first.says(logged);
    first.signal('SIGINT');
    expect([await first.ended, first.err]).toEqual([0, '']);
    expect(first.out).toContain('shutting down: ending the start');
    expect(first.out).not.toContain('the service serves');
    const second = start(folder, { PORT: '0' });
    expect((await greetingOf(second)).logins).toHaveLength(4);
    second.signal('SIGINT');
    expect([await second.ended, second.err]).toEqual([0, '']);
  },
);

/** Counts the tables of the service. After an interrupted deploy there must be none. */
async function countTables({ adminUrl }: TestDatabase): Promise<number> {
  return withAdmin(adminUrl, async (admin) => {
    const { rowCount } = await admin.query(`select from pg_tables where schemaname = 'public'`);
    return rowCount ?? 0;
  });
}

/** Counts the database sessions of `npm run db:migrate` for which the SQL condition is true. */
const countSessions = ({ adminUrl }: TestDatabase, condition: string): Promise<number> =>
  withAdmin(adminUrl, async (admin) => {
    const { rowCount } = await admin.query(
      `select from pg_stat_activity
       where application_name = 'taxclaims-migrate' and datname = current_database() and ${condition}`,
    );
    return rowCount ?? 0;
  });

test('db:migrate that gets SIGINT during its migrations prints a line, leaves no table, and ends by the signal', async () => {
  const database = await createEmptyDatabase();
  const deploy = startDeploy(database.adminUrl);
  // The SIGINT arrives inside the one transaction in which db:migrate runs all migrations.
  await until(async () => (await countSessions(database, `backend_xid is not null and query ~ 'public[.]'`)) > 0);
  deploy.signal('SIGINT');
  const { code, out, err } = await deploy.ended;
  expect([code, err]).toEqual(['SIGINT', 'SIGINT ended the deploy: run the command again\n']);
  expect(out).toContain(ENDED);
  await until(async () => (await countSessions(database, 'true')) === 0);
  expect(await countTables(database)).toBe(0);
  await migrate({ adminUrl: database.adminUrl, log: pino({ level: 'silent' }) });
  expect(await countTables(database)).toBeGreaterThan(10);
  await database.close();
});

test('db:migrate that gets SIGTERM while it waits for a lock prints a line, and ends by the signal', async () => {
  const database = await createDatabaseToDeploy();
  await withAdmin(database.adminUrl, async (admin) => {
    await admin.query('begin; select from public.clients');
    const deploy = startDeploy(database.adminUrl);
    await until(async () => (await countSessions(database, `wait_event_type = 'Lock'`)) > 0);
    deploy.signal('SIGTERM');
    const { code, err } = await deploy.ended;
    expect([code, err]).toEqual(['SIGTERM', 'SIGTERM ended the deploy: run the command again\n']);
  });
  await database.close();
});
