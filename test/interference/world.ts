import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { asDatabase, createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import type { TestIdentity } from '../support/identity.ts';
import { portOf, start } from '../support/process.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { contentOf, firmSql, pathsOf } from './firm.ts';
import type { Firm } from './firm.ts';
import type { LoginName, Logins } from './logins.ts';
import { Reading } from './reading.ts';
import { UNLIMITED, accepting } from '../support/world.ts';

const FIXED_IDS = join(import.meta.dirname, 'fixed-ids.ts');

/**
 * A database with a service of its own, and the code that makes the service’s answers comparable with those of another
 * service.
 */
export interface World {
  readonly name: string;
  readonly port: number;
  readonly postgres: TestDatabase;
  readonly reading: Reading;
  /** Runs SQL statements as the superuser. Returns the rows of the last statement. */
  admin(sql: string): Promise<Record<string, unknown>[]>;
  login(name: LoginName): Promise<pg.Client>;
  /** Creates a firm: its records in the database, and its documents in the document store. */
  found(firm: Firm): Promise<void>;
  close(): Promise<void>;
}

export async function openWorld(name: string, identity: TestIdentity, logins: Logins): Promise<World> {
  const postgres = await createTestDatabase();
  const folder = await createScratchFolder();
  const documents = join(folder, '.data', 'documents');
  await mkdir(documents, { recursive: true });
  const service = start(folder, {
    ...{ PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: postgres.apiUrl, DATABASE_POOL_SIZE: '2' },
    ...accepting(identity),
    // The time limit of SQL is long here. On a busy machine, a statement that exceeds it would count as a difference
    // between the databases.
    DATABASE_STATEMENT_TIMEOUT_MS: '120000',
    ...UNLIMITED,
    NODE_OPTIONS: `--import=${FIXED_IDS}`,
  });
  const port = await portOf(service);
  const superuser = await connected(postgres.adminUrl);
  const clients = new Map<LoginName, pg.Client>();

  return {
    ...{ name, port, postgres, reading: new Reading(postgres.name) },
    admin: async (sql) => {
      const results = [await superuser.query<Record<string, unknown>>(sql)].flat();
      return results.at(-1)?.rows ?? [];
    },
    login: async (login) => {
      const open = clients.get(login) ?? (await connected(asDatabase(postgres.adminUrl, postgres.name, logins[login])));
      clients.set(login, open);
      return open;
    },
    found: async (firm) => {
      await superuser.query(firmSql(firm));
      for (const path of pathsOf(firm)) await writeFile(join(documents, path), contentOf(firm));
    },
    close: async () => {
      service.signal('SIGTERM');
      await service.ended;
      for (const one of [superuser, ...clients.values()]) await one.end();
      await rm(folder, { recursive: true });
      await postgres.close();
    },
  };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'interference' });
  await client.connect();
  return client;
}
