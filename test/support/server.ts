import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/embedded/postgres/server.ts';
import { createScratchFolder, removeAbandoned } from './scratch.ts';

/** A Postgres for one run of the tests. */
export interface TestServer {
  readonly adminUrl: string;
  close(): Promise<void>;
}

/** Nothing in a test database outlives the run, so none of it is written for keeps. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_wal_size: '256MB',
  max_prepared_transactions: '2',
};

/**
 * The server that the environment asks for: the one at `TEST_DATABASE_URL`, a container with
 * `TEST_CONTAINERS=1`, or else an embedded one.
 */
export async function openTestServer(environment: NodeJS.ProcessEnv): Promise<TestServer> {
  await removeAbandoned();
  const url = environment['TEST_DATABASE_URL'];
  if (url !== undefined) return { adminUrl: url, close: () => Promise.resolve() };
  return environment['TEST_CONTAINERS'] === '1' ? openContainer() : openEmbedded();
}

async function openEmbedded(): Promise<TestServer> {
  const dataDir = await createScratchFolder();
  const server = await startEmbeddedServer({ dataDir, log: pino({ level: 'silent' }), settings: SETTINGS });
  return {
    adminUrl: server.adminUrl,
    close: async () => {
      await server.stop();
      await rm(dataDir, { recursive: true });
    },
  };
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
