import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedServer } from '../src/demo/postgres/server.ts';
import { migrate } from '../src/admin/deploy/migrate.ts';
import { asDatabase, withAdmin } from '../test/support/database.ts';
import { makeLogin } from '../test/support/world.ts';

export interface BenchServer {
  readonly adminUrl: string;
  close(): Promise<void>;
}

type BenchDatabase = BenchServer;

/** The folder in which the benchmarks store databases and results. */
export const BENCH_DIR = join(import.meta.dirname, '..', '.data', 'bench');

/**
 * The number of claims in the benchmarks’ database of full size, from which bench/population.sql derives all other row
 * counts.
 */
export const FULL_SIZE = 1_000_000;

const NAME = 'taxclaims_bench';

/**
 * Settings of Postgres without durability and with all data in the cache, because the benchmarks measure plans and not
 * the disk.
 */
const SETTINGS = {
  shared_buffers: '3GB',
  work_mem: '16MB',
  max_wal_size: '4GB',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
};

/**
 * Opens the Postgres server at `BENCH_DATABASE_URL` (a superuser’s address), or an embedded Postgres that is kept in
 * `.data/bench`.
 */
export async function openBenchServer(environment: NodeJS.ProcessEnv): Promise<BenchServer> {
  const url = environment['BENCH_DATABASE_URL'];
  if (url !== undefined) return { adminUrl: url, close: () => Promise.resolve() };
  const log = pino({ level: 'warn' });
  const server = await startEmbeddedServer({ dataDir: BENCH_DIR, log, settings: SETTINGS });
  return { adminUrl: server.adminUrl, close: () => server.stop() };
}

/** Opens the benchmarks’ database of full size on its Postgres server. */
export async function openBenchDatabase(environment: NodeJS.ProcessEnv): Promise<BenchDatabase> {
  const server = await openBenchServer(environment);
  try {
    return { adminUrl: await databaseOfSize(server, FULL_SIZE), close: () => server.close() };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/**
 * Migrates the benchmark database with the given number of claims to this checkout, and returns the database’s address.
 */
export async function databaseOfSize(server: BenchServer, claims: number): Promise<string> {
  return filledDatabase(server, {
    name: claims === FULL_SIZE ? NAME : `${NAME}_${claims}`,
    population: await populationOf(import.meta.dirname, claims),
    migrate: (adminUrl) => migrate({ adminUrl, log: pino({ level: 'silent' }) }),
  });
}

/** Returns the SQL script below `folder` that fills a database with the given number of claims. */
export async function populationOf(folder: string, claims: number): Promise<string> {
  const script = await readFile(join(folder, 'population.sql'), 'utf8');
  return script.replace(/^set local bench\.claims = \d+;$/m, `set local bench.claims = ${claims};`);
}

interface Filling {
  readonly name: string;
  /** The two parts of an SQL script that fills a database; the second part begins after `commit;`. */
  readonly population: string;
  readonly migrate: (adminUrl: string) => Promise<void>;
}

/**
 * Migrates a benchmark’s database. Fills the database if it is empty or if the script that fills it has changed, which
 * takes minutes.
 */
export async function filledDatabase(server: BenchServer, filling: Filling): Promise<string> {
  const { name, population } = filling;
  const adminUrl = asDatabase(server.adminUrl, name);
  const digest = createHash('md5').update(population).digest('hex');
  await withAdmin(server.adminUrl, async (admin) => {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await admin.query(`create database ${name} template template0`);
  });
  await filling.migrate(adminUrl);
  await withAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ comment: string | null }>(
      `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = current_database()`,
    );
    if (rows[0]?.comment !== digest) {
      const [data = '', maintenance = ''] = population.split(/^commit;$/m);
      await admin.query(`${data}commit;`);
      await admin.query(maintenance);
      await admin.query(`comment on database ${name} is '${digest}'`);
    }
    await admin.query(`
      create extension if not exists pg_prewarm;
      select pg_prewarm(oid) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`);
  });
  return adminUrl;
}

/**
 * Creates a Postgres login with the given rights for one run of a benchmark. If a killed run did not remove its login
 * of the same name, the new login replaces that login.
 */
export async function createLogin(adminUrl: string, name: string, rights: string): Promise<string> {
  await withAdmin(adminUrl, (admin) => admin.query(`drop role if exists ${name}`));
  const login = await makeLogin(adminUrl, name, rights);
  return asDatabase(adminUrl, new URL(adminUrl).pathname.slice(1), login);
}

export async function dropLogin(adminUrl: string, name: string): Promise<void> {
  await withAdmin(adminUrl, (admin) => admin.query(`drop role ${name}`));
}

/** Returns the ids of clients, some with many records and some with few, in the order of the column client_access. */
export async function clientsOf(adminUrl: string, count: number, claims = FULL_SIZE): Promise<readonly string[]> {
  const { rows } = await withAdmin(adminUrl, (admin) =>
    admin.query<{ id: string }>(
      `select md5('client' || (n * $1 + $1 / 2)::integer)::uuid as id from generate_series(0, $2 - 1) as n order by id`,
      [claims / 100 / count, count],
    ),
  );
  return rows.map(({ id }) => id);
}
