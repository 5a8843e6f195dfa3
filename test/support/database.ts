import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The Postgres server of the test run and the names that the run uses, which global-setup.ts passes to every suite. */
export interface TestRun {
  readonly adminUrl: string;
  /** The beginning of the name of each database and login that the test run creates. */
  readonly prefix: string;
  readonly template: string;
  readonly login: { readonly name: string; readonly password: string };
  /** The port of a PgBouncer in transaction mode before the Postgres server, if `TEST_POOLER` is 1. */
  readonly poolerPort?: number;
}

export interface TestDatabase {
  readonly name: string;
  /** The address of the test database for the superuser. */
  readonly adminUrl: string;
  /** The address of the test database for a login in `taxclaims_api`, through the pooler if there is one. */
  readonly apiUrl: string;
  /** The address of the test database for the login in `taxclaims_api`, without a pooler. */
  readonly directUrl: string;
  /** Drops the test database, and ends the sessions that are still connected to it. */
  close(): Promise<void>;
}

/** Creates a migrated database that holds no rows yet. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const run = readRun();
  const database = await create(run, run.template);
  await withAdmin(run.adminUrl, (admin) => copyDatabaseRights(admin, run.template, database.name));
  return database;
}

/** Creates an empty database, with the given locale instead of the locale of the server. */
export async function createEmptyDatabase(locale = ''): Promise<TestDatabase> {
  return create(readRun(), `template0 ${locale}`);
}

/** Returns a database address with another database name and, if given, another login. */
export function asDatabase(url: string, database: string, login?: TestRun['login']): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  if (login !== undefined) {
    address.username = login.name;
    address.password = login.password;
  }
  return address.href;
}

export async function connected(connectionString: string, options?: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, ...(options !== undefined && { options }) });
  await client.connect();
  return client;
}

export async function withAdmin<T>(url: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = await connected(url);
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

async function create(run: TestRun, template: string): Promise<TestDatabase> {
  const name = `${run.prefix}_${randomBytes(4).toString('hex')}`;
  await withAdmin(run.adminUrl, (admin) => admin.query(`create database ${name} template ${template}`));
  return {
    name,
    adminUrl: asDatabase(run.adminUrl, name),
    directUrl: asDatabase(run.adminUrl, name, run.login),
    apiUrl: pooled(run, asDatabase(run.adminUrl, name, run.login)),
    close: async () => {
      await withAdmin(run.adminUrl, (admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** True if the tests reach Postgres through a pooler, which keeps no prepared statements in transaction mode. */
export function isPooled(): boolean {
  return readRun().poolerPort !== undefined;
}

function pooled({ poolerPort }: TestRun, url: string): string {
  if (poolerPort === undefined) return url;
  const through = new URL(url);
  through.host = `127.0.0.1:${poolerPort}`;
  return through.href;
}

/**
 * Copies the rights on the template database to the new database, because Postgres does not copy the rights on a
 * database itself.
 */
async function copyDatabaseRights(admin: pg.Client, from: string, to: string): Promise<void> {
  const { rows } = await admin.query<{ statement: string }>(
    `select format('grant %s on database %I to %s', privilege_type, $2::text,
                   case grantee when 0 then 'public' else grantee::regrole::text end) as statement
       from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
      where datname = $1`,
    [from, to],
  );
  await admin.query([`revoke all on database ${to} from public`, ...rows.map((row) => row.statement)].join(';'));
}

export function readRun(): TestRun {
  const text = process.env['TAXCLAIMS_TEST_RUN'];
  if (text === undefined)
    throw new Error('Tests with a database run only under Jest, which starts the Postgres server.');
  return JSON.parse(text) as TestRun;
}
