import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/db/migrate.ts';
import { asDatabase, type TestRun, withAdmin } from './database.ts';
import tearDown from './global-teardown.ts';
import { openTestServer, type TestServer } from './server.ts';

declare global {
  var testServer: TestServer | undefined;
  var testRun: TestRun | undefined;
}

/** One server for the whole run, and in it the migrated template of every test's database. */
export default async function setUp(): Promise<void> {
  const server = await openTestServer(process.env);
  globalThis.testServer = server;
  const id = randomBytes(4).toString('hex');
  const run: TestRun = {
    adminUrl: server.adminUrl,
    prefix: `taxclaims_test_${id}`,
    template: `taxclaims_test_${id}_template`,
    login: { name: `taxclaims_test_${id}`, password: randomBytes(24).toString('base64url') },
  };
  globalThis.testRun = run;
  try {
    await makeTemplate(run);
  } catch (error) {
    await tearDown();
    throw error;
  }
  process.env['TAXCLAIMS_TEST_RUN'] = JSON.stringify(run);
}

async function makeTemplate({ adminUrl, template, login }: TestRun): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    await admin.query(`create database ${template} template template0`);
    await migrate({ adminUrl: asDatabase(adminUrl, template), log: pino({ level: 'silent' }) });
    const password = pg.escapeLiteral(login.password);
    await admin.query(`create role ${login.name} login password ${password} in role taxclaims_api`);
    // A database that is being copied must have no other visitor.
    await admin.query(`alter database ${template} with allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      template,
    ]);
  });
}
