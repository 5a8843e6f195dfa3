/**
 * Measures how long requests wait for each migration of the growing tables, and for the deploy of the rights
 * afterwards.
 *
 *   npx node bench/migrations.ts --claims 1000000
 *
 * The benchmark fills a database in the state before the first of these migrations. Then it runs the migrations in
 * their order, each in a transaction of its own, while requests repeatedly read and write one row of every table.
 */
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { openAdminConnection } from '../src/admin/deploy/admin-connection.ts';
import { applyRoles, createMigrationLockTable } from '../src/admin/deploy/apply.ts';
import { retryOnContention } from '../src/admin/deploy/locks.ts';
import { migrate } from '../src/admin/deploy/migrate.ts';
import { runInOwnTransaction } from '../src/admin/deploy/run-migrations.ts';
import { migrationsOf, readSqlFiles } from '../src/admin/deploy/sql-files.ts';
import { asDatabase, withAdmin } from '../test/support/database.ts';
import { openBenchServer } from './database.ts';
import { short, table } from './measure.ts';
import { startRequests, type Waits } from './migrations/requests.ts';
import { keep } from './results.ts';

const NAME = 'taxclaims_bench_migrations';
/** The name of the first migration that changes a table whose number of rows grows with use. */
const FIRST = '0010_audit_log_indexes';
const RETRY_MS = 120_000;
/**
 * The benchmark first sends requests for this many milliseconds without a migration, and prints the result as the first
 * row of its table. The row shows how long this machine delays a request anyway.
 */
const NOTHING_MS = 3_000;

const { values } = parseArgs({ options: { claims: { type: 'string', default: '100000' } } });
// A database with fewer than 1,000 claims would have neither a user nor a partner.
if (!/^[1-9]\d{3,7}$/.test(values.claims)) throw new Error(`${values.claims} is no number of claims`);
const claims = Number(values.claims);
const log = pino({ level: 'silent' });

interface Row extends Waits {
  readonly what: string;
  readonly tookMs: number;
}

const server = await openBenchServer(process.env);
const adminUrl = asDatabase(server.adminUrl, NAME);
try {
  await withAdmin(server.adminUrl, async (admin) => {
    await admin.query(`drop database if exists ${NAME} with (force)`);
    await admin.query(`create database ${NAME} template template0`);
  });
  const rows = await measured();
  console.log(`\nLongest waits in milliseconds, ${claims} claims\n\n${tableOf(rows)}\n`);
  console.log(`Raw figures: ${await keep('migrations', adminUrl, { claims, rows })}`);
  console.log(`Load of the machine: ${loadavg().map(short).join(', ')}`);
} finally {
  await withAdmin(server.adminUrl, (admin) => admin.query(`drop database if exists ${NAME} with (force)`));
  await server.close();
}

async function measured(): Promise<readonly Row[]> {
  const connection = await openAdminConnection(adminUrl, 'taxclaims-bench');
  const { client } = connection;
  const files = await readSqlFiles();
  const apply = (name: string): Promise<void> =>
    retryOnContention(log, RETRY_MS, () => runInOwnTransaction(client, files, name));
  try {
    const names = [...migrationsOf(files).keys()];
    await applyRoles(client, files);
    await createMigrationLockTable(client, files);
    const first = names.indexOf(FIRST);
    for (const name of names.slice(0, first)) await apply(name);
    await said(`filling it with ${claims} claims`, () => fill());
    const rows = [await besides('nothing', () => new Promise((resolve) => setTimeout(resolve, NOTHING_MS)))];
    for (const name of names.slice(first)) {
      rows.push(await said(name, () => besides(name, () => apply(name))));
    }
    // The first deploy of the database’s rights has to create all rights; the second deploy is the usual one.
    for (const what of ['the rights, made', 'the rights, made again']) {
      rows.push(await said(what, () => besides(what, () => migrate({ adminUrl, log }))));
      // The comment on audit.applied tells a deploy that the rights are up to date. Without the comment, the next
      // deploy of the rights runs again.
      await client.query('comment on table audit.applied is null');
    }
    return rows;
  } finally {
    await connection.close();
  }
}

/**
 * Runs a migration (`work`) while requests are sent, and returns how long the requests waited. No request has a
 * time-out.
 */
async function besides(what: string, work: () => Promise<void>): Promise<Row> {
  const requests = await startRequests(adminUrl);
  try {
    const start = performance.now();
    await work();
    return { what, tookMs: performance.now() - start, ...(await requests.end()) };
  } finally {
    await requests.close();
  }
}

/**
 * Fills the tables that exist before the measured migrations, with the script that all benchmarks use. Migrations fill
 * the tables that they create.
 */
async function fill(): Promise<void> {
  const script = await readFile(join(import.meta.dirname, 'population.sql'), 'utf8');
  await withAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name
       from pg_class as c
       join pg_namespace as n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p')`,
    );
    const there = new Set(rows.map(({ name }) => name));
    const [data = '', maintenance = ''] = script
      .replace(/^set local bench\.claims = \d+;$/m, `set local bench.claims = ${claims};`)
      .replaceAll(/^insert into (\S+)[^;]*;$/gm, (insert, name: string) => (there.has(name) ? insert : ''))
      .split(/^commit;$/m);
    await admin.query(`${data}commit;`);
    await admin.query(maintenance);
  });
}

async function said<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.error(`${what}: ${seconds(performance.now() - start)} s`);
  return result;
}

function tableOf(rows: readonly Row[]): string {
  return table(
    ['migration', 'took', 'longest read', 'of', 'longest write', 'of', 'requests'],
    rows.map(({ what, tookMs, read, write, requests }) => [
      what,
      ...[tookMs.toFixed(0), read.ms.toFixed(0), read.table, write.ms.toFixed(0), write.table],
      String(requests),
    ]),
  );
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
