import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedServer } from '../src/db/embedded/server.ts';
import { migrate } from '../src/db/migrate.ts';
import { asDatabase, withAdmin } from '../test/support/database.ts';

/** The database at size, and how to reach it. */
export interface BenchDatabase {
  /** The superuser's address. */
  readonly adminUrl: string;
  close(): Promise<void>;
}

const NAME = 'taxclaims_bench';

/** All in cache, nothing for keeps: what is measured is the plan, not the disk. */
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
 * The database `taxclaims_bench` on the server at `BENCH_DATABASE_URL` (a superuser's address), or on an embedded
 * one that is kept in `.data/bench`. Migrated each time, so that the policies are those of the checkout; filled
 * once, which takes some minutes.
 */
export async function openBenchDatabase(environment: NodeJS.ProcessEnv): Promise<BenchDatabase> {
  const { url, stop } = await openServer(environment['BENCH_DATABASE_URL']);
  try {
    const adminUrl = asDatabase(url, NAME);
    await createIfAbsent(url);
    await migrate({ adminUrl, log: pino({ level: 'silent' }) });
    await withAdmin(adminUrl, fillIfEmpty);
    return { adminUrl, close: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A login of its own for one run, in one of the groups; a login left by a run that was killed is replaced. */
export async function createLogin(adminUrl: string, name: string, group: string): Promise<string> {
  const password = crypto.randomUUID();
  await withAdmin(adminUrl, async (admin) => {
    await admin.query(`drop role if exists ${pg.escapeIdentifier(name)}`);
    await admin.query(
      `create role ${pg.escapeIdentifier(name)} login password '${password}' in role ${group}`,
    );
  });
  return asDatabase(adminUrl, NAME, { name, password });
}

/** So many clients, of all sizes from the largest to the smallest, in order as the API keeps them. */
export async function clientsOf(adminUrl: string, count: number): Promise<readonly string[]> {
  const { rows } = await withAdmin(adminUrl, (admin) =>
    admin.query<{ id: string }>(
      `select md5('client' || (n * $1 + $1 / 2)::integer)::uuid as id from generate_series(0, $2 - 1) as n order by id`,
      [10_000 / count, count],
    ),
  );
  return rows.map(({ id }) => id);
}

async function openServer(url: string | undefined): Promise<{ url: string; stop: () => Promise<void> }> {
  if (url !== undefined) return { url, stop: () => Promise.resolve() };
  const dataDir = join(import.meta.dirname, '..', '.data', 'bench');
  const server = await startEmbeddedServer({ dataDir, log: pino({ level: 'warn' }), settings: SETTINGS });
  return { url: server.adminUrl, stop: () => server.stop() };
}

async function createIfAbsent(url: string): Promise<void> {
  await withAdmin(url, async (admin) => {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [NAME]);
    if (rowCount === 0) await admin.query(`create database ${NAME} template template0`);
  });
}

async function fillIfEmpty(admin: pg.Client): Promise<void> {
  const { rowCount } = await admin.query('select from public.documents limit 1');
  if (rowCount === 0) {
    const script = await readFile(join(import.meta.dirname, 'population.sql'), 'utf8');
    const [rows = '', maintenance = ''] = script.split(/^commit;$/m);
    await admin.query(`${rows}commit;`);
    await admin.query(maintenance);
  }
  await admin.query(`
    create extension if not exists pg_prewarm;
    select pg_prewarm(oid) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`);
}
