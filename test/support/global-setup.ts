import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { startPgBouncer } from '../../deploy/lab/pgbouncer.ts';
import { createLabFolder, type LabFolder } from '../../deploy/lab/reaper.ts';
import { asDatabase, type TestRun, withAdmin } from './database.ts';
import tearDown from './global-teardown.ts';
import { dropAbandoned } from './leftovers.ts';
import { openTestServer, type TestServer } from './server.ts';

interface TestPooler {
  readonly port: number;
  close(): Promise<void>;
}

declare global {
  var testFolder: LabFolder | undefined;
  var testPooler: TestPooler | undefined;
  var testServer: TestServer | undefined;
  var testRun: TestRun | undefined;
  var testConnection: pg.Client | undefined;
}

/** Opens the Postgres server of the test run, with a migrated template from which all suites copy their databases. */
export default async function setUp(): Promise<void> {
  // A variable of libpq, such as PGSSLMODE, would change how the tests and their programs reach their own servers.
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]+$/.test(name)) Reflect.deleteProperty(process.env, name);
  globalThis.testFolder = await createLabFolder();
  process.env['TAXCLAIMS_TEST_FOLDER'] = globalThis.testFolder.path;
  const id = randomBytes(4).toString('hex');
  const prefix = `taxclaims_run_${id}`;
  const isShared = process.env['TEST_DATABASE_URL'] !== undefined;
  const template = isShared ? `${prefix}_template` : 'taxclaims_template';
  const login = { name: prefix, password: randomBytes(24).toString('base64url') };
  try {
    const server = await openTestServer(process.env, async (adminUrl) => {
      // This connection has the test run’s name. Without such a connection, another test run would drop this run’s
      // template database as abandoned.
      if (isShared) globalThis.testConnection = await showLife(adminUrl, prefix);
      if (isShared) await dropAbandoned(adminUrl);
      await makeTemplate(adminUrl, template);
    });
    globalThis.testServer = server;
    const run: TestRun = { adminUrl: server.adminUrl, prefix, template, login };
    globalThis.testRun = run;
    globalThis.testConnection ??= await showLife(run.adminUrl, prefix);
    const password = pg.escapeLiteral(login.password);
    await globalThis.testConnection.query(`create role ${login.name} login password ${password} in role taxclaims_api`);
    globalThis.testPooler = process.env['TEST_POOLER'] === '1' ? await openPooler(run) : undefined;
    const { testPooler } = globalThis;
    process.env['TAXCLAIMS_TEST_RUN'] = JSON.stringify({
      ...run,
      ...(testPooler !== undefined && { poolerPort: testPooler.port }),
    });
  } catch (error) {
    await tearDown();
    throw error;
  }
}

/** Starts PgBouncer for the API’s login. The superuser connects directly to Postgres. */
async function openPooler({ adminUrl }: TestRun): Promise<TestPooler> {
  const lab = await createLabFolder();
  const pooler = await startPgBouncer({ dir: `${lab.path}/pgbouncer`, upstream: adminUrl });
  return { port: pooler.port, close: () => lab.remove() };
}

/**
 * Opens a database connection with the test run’s name, because other test runs drop the databases of a run without
 * such a connection.
 */
async function showLife(adminUrl: string, prefix: string): Promise<pg.Client> {
  const connection = new pg.Client({ connectionString: adminUrl, application_name: prefix });
  // This connection to Postgres ignores errors, because the tests themselves report the loss of the Postgres server.
  connection.on('error', () => undefined);
  await connection.connect();
  return connection;
}

async function makeTemplate(adminUrl: string, template: string): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    await admin.query(`create database ${template} template template0`);
    await migrate({ adminUrl: asDatabase(adminUrl, template), log: pino({ level: 'silent' }) });
    // Postgres copies a template database only while nobody is connected to it.
    await admin.query(`alter database ${template} with allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [template]);
  });
}
