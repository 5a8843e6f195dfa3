import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/db/embedded/server.ts';

/** A Postgres for one run of the tests. */
export interface TestServer {
  readonly adminUrl: string;
  close(): Promise<void>;
}

/** Nothing in a test database outlives the run, so none of it is written for keeps. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' };
const FOLDER = 'taxclaims-test-';
const log = pino({ level: 'silent' });

/**
 * The server that the environment asks for: the one at `TEST_DATABASE_URL`, a container with
 * `TEST_CONTAINERS=1`, or else an embedded one.
 */
export async function openTestServer(environment: NodeJS.ProcessEnv): Promise<TestServer> {
  const url = environment['TEST_DATABASE_URL'];
  if (url !== undefined) return { adminUrl: url, close: () => Promise.resolve() };
  return environment['TEST_CONTAINERS'] === '1' ? openContainer() : openEmbedded();
}

async function openEmbedded(): Promise<TestServer> {
  await removeAbandoned();
  const dataDir = await mkdtemp(join(tmpdir(), `${FOLDER}${process.pid}-`));
  const server = await startEmbeddedServer({ dataDir, log, settings: SETTINGS });
  return {
    adminUrl: server.adminUrl,
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** A run that was killed left its server behind: one more start puts that in order, so that it can be stopped. */
async function removeAbandoned(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(FOLDER));
  const abandoned = names.filter((name) => !isAlive(Number(name.slice(FOLDER.length).split('-')[0])));
  for (const dataDir of abandoned.map((name) => join(tmpdir(), name))) {
    try {
      await (await startEmbeddedServer({ dataDir, log, settings: SETTINGS })).stop();
      await rm(dataDir, { recursive: true });
    } catch {
      // Another run is removing it just now, or it is beyond repair: either way it is in nobody's way.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function openContainer(): Promise<TestServer> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const flags = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const container = await new PostgreSqlContainer('postgres:18-alpine')
    .withCommand(['postgres', ...flags])
    .start()
    .catch((cause: unknown) => {
      throw new Error('TEST_CONTAINERS=1, but no container could be started: is a Docker engine running?', {
        cause,
      });
    });
  return {
    adminUrl: container.getConnectionUri(),
    close: async () => {
      await container.stop();
    },
  };
}
