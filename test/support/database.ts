import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** What the run's setup hands to every test file. */
export interface TestRun {
  readonly adminUrl: string;
  /** The name of everything that the run makes begins so. */
  readonly prefix: string;
  readonly template: string;
  readonly login: { readonly name: string; readonly password: string };
  /** Where a PgBouncer in transaction mode stands before the server, with `TEST_POOLER=1`. */
  readonly poolerPort?: number;
}

export interface TestDatabase {
  readonly name: string;
  /** The superuser's address. */
  readonly adminUrl: string;
  /** The address for a login in `taxclaims_api`. */
  readonly apiUrl: string;
  /** The same where nothing stands between. */
  readonly directUrl: string;
  /** Drops the database, whoever is still connected. */
  close(): Promise<void>;
}

/** A fresh database with migrations and policies applied, and no rows of any test. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const run = readRun();
  const database = await create(run, run.template);
  await withAdmin(run.adminUrl, (admin) => copyDatabaseRights(admin, run.template, database.name));
  return database;
}

/** A fresh database in which nothing was migrated, with a locale of its own where one is given. */
export async function createEmptyDatabase(locale = ''): Promise<TestDatabase> {
  return create(readRun(), `template0 ${locale}`);
}

/** The same address for another database and, if given, another login. */
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

/** Works on one connection of the superuser's and closes it. */
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

/** Whether the API's login has a pooler between, which keeps no prepared statements. */
export function isPooled(): boolean {
  return readRun().poolerPort !== undefined;
}

function pooled({ poolerPort }: TestRun, url: string): string {
  if (poolerPort === undefined) return url;
  const through = new URL(url);
  through.host = `127.0.0.1:${poolerPort}`;
  return through.href;
}

/** A copy has the rights on everything in the database, but not those on the database itself. */
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
  if (text === undefined) throw new Error('The tests run under jest, which starts their server.');
  return JSON.parse(text) as TestRun;
}
