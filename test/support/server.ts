import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { findBinaries } from '../../src/demo/postgres/cluster.ts';
import { startEmbeddedServer } from '../../src/demo/postgres/server.ts';
import { createScratchFolder } from './scratch.ts';

export interface TestServer {
  readonly adminUrl: string;
  close(): Promise<void>;
}

/** Settings of Postgres that give up durability, because no test database outlives the test run. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_wal_size: '256MB',
  max_prepared_transactions: '2',
};

const ROOT = join(import.meta.dirname, '..', '..');
/** The folder with copies of Postgres servers, each with the template database of one state of `db/`. */
const KEPT = join(ROOT, '.data', 'test-servers');
const KEPT_AT_MOST = 3;
/** The files whose contents determine the template database from which the suites copy their databases. */
const SOURCES = [
  'db/**/*.{sql,jsonl}',
  'src/db/**/*.ts',
  'src/admin/**/*.ts',
  'src/demo/postgres/*.ts',
  'package-lock.json',
];

/**
 * Opens the Postgres server for a test run: the server at `TEST_DATABASE_URL`, a container if `TEST_CONTAINERS=1`, or
 * else an embedded server. `prepare` creates the template database, unless the embedded server is a kept copy that
 * already has it.
 */
export async function openTestServer(
  environment: NodeJS.ProcessEnv,
  prepare: (adminUrl: string) => Promise<void>,
): Promise<TestServer> {
  const url = environment['TEST_DATABASE_URL'];
  const isContainer = environment['TEST_CONTAINERS'] === '1';
  if (url === undefined && !isContainer) return openEmbedded(prepare);
  const server = url === undefined ? await openContainer() : { adminUrl: url, close: () => Promise.resolve() };
  try {
    await prepare(server.adminUrl);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function openEmbedded(prepare: (adminUrl: string) => Promise<void>): Promise<TestServer> {
  const kept = join(KEPT, await digestOfSources());
  const dataDir = await createScratchFolder();
  if (!(await isThere(kept))) {
    const server = await start(dataDir);
    await prepare(server.adminUrl).finally(() => server.stop());
    await keep(join(dataDir, 'postgres'), kept);
  } else {
    await copy(kept, join(dataDir, 'postgres'));
    await utimes(kept, new Date(), new Date());
  }
  const server = await start(dataDir);
  return {
    adminUrl: server.adminUrl,
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

function start(dataDir: string): ReturnType<typeof startEmbeddedServer> {
  return startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }), settings: SETTINGS });
}

async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256');
  // A kept server is used again only by the same operating-system account, which can copy its files, by the same Postgres
  // release, which can read them, and in the same month, because the audit log has partitions by month.
  hash.update(`${process.getuid?.() ?? ''} ${findBinaries().postgres} ${new Date().toISOString().slice(0, 7)}`);
  for (const path of globSync(SOURCES, { cwd: ROOT }).sort()) {
    hash.update(path).update(await readFile(join(ROOT, path)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Keeps a copy of a Postgres server for later test runs, and removes all but the last few copies. */
async function keep(folder: string, kept: string): Promise<void> {
  await mkdir(KEPT, { recursive: true });
  const draft = `${kept}.${process.pid}`;
  await copy(folder, draft);
  // The kept copy of the Postgres server must not contain the server’s port, because two test runs at the same time
  // would both use it.
  await rm(join(draft, 'port'), { force: true });
  // Another test run has possibly kept the same copy of the Postgres server by now. Then the new copy is not needed.
  await rename(draft, kept).catch(() => rm(draft, { recursive: true }));
  const all = await Promise.all(
    (await readdir(KEPT)).map(async (name) => ({ name, used: (await stat(join(KEPT, name))).mtimeMs })),
  );
  for (const { name } of all.sort((a, b) => b.used - a.used).slice(KEPT_AT_MOST)) {
    await rm(join(KEPT, name), { recursive: true, force: true });
  }
}

/** Copies a folder with its owners and permissions, because Postgres possibly runs as another account. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function openContainer(): Promise<TestServer> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const flags = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const container = await new PostgreSqlContainer('postgres:18-alpine')
    .withCommand(['postgres', ...flags])
    .start()
    .catch((cause: unknown) => {
      throw new Error('TEST_CONTAINERS=1, but no container could be started: is a Docker engine running?', { cause });
    });
  return {
    adminUrl: container.getConnectionUri(),
    close: async () => {
      await container.stop();
    },
  };
}
