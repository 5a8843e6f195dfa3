/** `npm run bench -- scale` measures again the costs of requests and rows that docs/scale.md states. */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { migrate } from '../../src/admin/deploy/migrate.ts';
import { asDatabase, withAdmin } from '../../test/support/database.ts';
import { createTestKey, startTestIdentity } from '../../test/support/identity.ts';
import { addressOf, start } from '../../test/support/process.ts';
import { createLogin, databaseOfSize, dropLogin } from '../database.ts';
import type { BenchServer } from '../database.ts';
import { median, short, table } from '../measure.ts';
import { backendsOf } from '../processor-time.ts';
import { keep } from '../results.ts';
import { askedOf, type Asked } from './asked.ts';
import { kindsOf, uploadOf } from './kinds.ts';
import { measureKind, send, type Figures } from './kind.ts';
import { ownMemory } from './memory.ts';
import { hashMilliseconds } from './passwords.ts';
import { UNLIMITED, accepting } from '../../test/support/world.ts';

const NAME = 'taxclaims_bench_scale';
const LOGIN = 'bench_scale';

interface ScaleOptions {
  readonly rounds: number;
  readonly claims: number;
}

export async function measureScale(server: BenchServer, { rounds, claims }: ScaleOptions): Promise<void> {
  // The benchmark writes into a copy of the filled database, so that the original has the same rows in every run.
  const adminUrl = await copyOf(server, await databaseOfSize(server, claims), NAME);
  const identity = await startTestIdentity();
  identity.publish(await createTestKey('RS256'));
  const folder = await mkdtemp(join(tmpdir(), 'taxclaims-scale-'));
  const url = await createLogin(adminUrl, LOGIN, 'in role taxclaims_api');
  const service = start(folder, {
    ...{ NODE_ENV: 'production', PORT: '0', DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'error' },
    ...accepting(identity),
    ...UNLIMITED,
  });
  try {
    const origin = await addressOf(service);
    const found = await askedOf(adminUrl, identity, claims);
    const asked: Asked = { ...found, document: await uploaded(origin, found) };
    const kinds = await kindsOf(asked);
    const figures = new Map<string, Figures[]>(kinds.map(({ name }) => [name, []]));
    for (let round = 0; round <= rounds; round += 1) {
      for (const kind of kinds) {
        const taken = await measureKind(kind, { origin, pid: service.pid, adminUrl, login: LOGIN });
        // The first round of the benchmark does not count, because it prepares statements and chooses plans.
        if (round > 0) figures.get(kind.name)?.push(taken);
      }
      console.error(`round ${round} of ${rounds}`);
    }
    const server = await withAdmin(adminUrl, async (admin) => ({
      backends: ownMemory(await backendsOf(admin, LOGIN)),
      service: ownMemory([service.pid]),
      bytes: (await admin.query<Record<string, string>>(BYTES)).rows,
      fullPages: (await admin.query<{ full_page_writes: string }>('show full_page_writes')).rows[0],
    }));
    const passwords = await hashMilliseconds(rounds);
    console.log(
      `\nBy kind of request, ${claims} claims, at a load of ${loadavg().map(short).join(', ')}\n\n${byKind(figures)}`,
    );
    console.log(`\n${others(server, passwords)}\n\n${ofRows(server.bytes)}\n`);
    const all = { claims, server, passwords, kinds: Object.fromEntries(figures) };
    console.log(`Raw figures: ${await keep('scale', adminUrl, all)}`);
  } finally {
    service.signal('SIGTERM');
    await service.ended;
    await identity.stop();
    await dropLogin(adminUrl, LOGIN);
    await withAdmin(server.adminUrl, (admin) => admin.query(`drop database ${NAME} with (force)`));
    await rm(folder, { recursive: true, force: true });
  }
}

/** The SQL that returns how many bytes a row of each large table takes on disk, with its indexes and its TOAST data. */
const BYTES = `
  select c.oid::regclass::text as name, c.reltuples::bigint as rows,
         pg_table_size(c.oid) / c.reltuples::bigint as heap, pg_indexes_size(c.oid) / c.reltuples::bigint as indexes
  from pg_class as c
  where c.relkind = 'r' and c.reltuples >= 10000 and c.relnamespace in ('public'::regnamespace, 'app'::regnamespace, 'audit_log'::regnamespace)
  order by pg_total_relation_size(c.oid) desc`;

/**
 * Returns a copy of a database under the migrations and policies of this checkout. If a killed run did not remove its
 * copy of the same name, the new copy replaces it.
 */
export async function copyOf(server: BenchServer, template: string, name: string): Promise<string> {
  const adminUrl = asDatabase(server.adminUrl, name);
  await withAdmin(server.adminUrl, async (admin) => {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.query(`create database ${name} template ${new URL(template).pathname.slice(1)}`);
  });
  await migrate({ adminUrl, log: pino({ level: 'silent' }) });
  return adminUrl;
}

async function uploaded(origin: string, { token, claim }: Omit<Asked, 'document'>): Promise<string> {
  const path = `/api/reclamations/${claim}/documents`;
  const answer = await send(origin, {
    ...{ name: 'upload', method: 'POST', path, token: await token(1), expected: 201 },
    body: () => uploadOf(100_000),
  });
  return (JSON.parse(answer) as { id: string }).id;
}

function byKind(figures: ReadonlyMap<string, readonly Figures[]>): string {
  return table(
    [
      '',
      'Node µs',
      'Postgres µs',
      'a second and core of Node',
      'of Postgres',
      'log, bytes',
      'audit records',
      'transaction ids',
    ],
    [...figures].map(([name, taken]) => {
      const middle = (of: (one: Figures) => number): number => median(taken.map(of));
      const [node, postgres] = [middle((one) => one.node), middle((one) => one.postgres)];
      return [
        name,
        ...[node, postgres, 1e6 / node, 1e6 / postgres].map((value) => value.toFixed(0)),
        ...[middle((one) => one.walBytes).toFixed(0), middle((one) => one.auditRecords).toFixed(1)],
        middle((one) => one.transactionIds).toFixed(1),
      ];
    }),
  );
}

function others(
  server: {
    backends: readonly number[];
    service: readonly number[];
    fullPages?: { full_page_writes: string } | undefined;
  },
  passwordMs: number,
): string {
  const megabytes = (bytes: readonly number[]): string => (median(bytes) / 1e6).toFixed(0);
  return table(
    ['', ''],
    [
      ['private memory of a Postgres backend, MB', megabytes(server.backends)],
      ['memory of the service, MB', megabytes(server.service)],
      ['full pages in the WAL', server.fullPages?.full_page_writes ?? ''],
      ['a password, ms of one core', passwordMs.toFixed(0)],
    ],
  );
}

function ofRows(rows: readonly Record<string, string>[]): string {
  return table(
    ['table', 'rows', 'heap, bytes a row', 'indexes, bytes a row'],
    rows.map(({ name = '', rows = '', heap = '', indexes = '' }) => [name, rows, heap, indexes]),
  );
}
