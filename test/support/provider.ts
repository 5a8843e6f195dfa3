import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { genSaltSync, hashSync } from 'bcryptjs';
import { pino } from 'pino';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { startEmbeddedProvider } from '../../src/embedded/provider/start.ts';
import type { EmbeddedProvider, ProviderOptions } from '../../src/embedded/provider/start.ts';
import { asDatabase, createTestDatabase, withAdmin } from './database.ts';
import type { TestDatabase } from './database.ts';
import { createScratchFolder } from './scratch.ts';

const log = pino({ level: 'silent' });

/** A login of the identity provider's. Roles are the cluster's: drop it. */
export async function createProviderLogin(
  database: Pick<TestDatabase, 'name' | 'adminUrl'>,
): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const login = { name: `${database.name}_idp`, password: randomBytes(24).toString('base64url') };
  await withAdmin(database.adminUrl, (admin) =>
    admin.query(
      `create role ${login.name} login password '${login.password}' in role taxclaims_identity_provider`,
    ),
  );
  return {
    url: asDatabase(database.adminUrl, database.name, login),
    drop: async () => {
      await withAdmin(database.adminUrl, (admin) => admin.query(`drop role ${login.name}`));
    },
  };
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

/** The embedded provider on a database of its own, through a login of its own role. */
export interface ProviderWorld {
  readonly postgres: TestDatabase;
  readonly dataDir: string;
  readonly database: Database;
  /** For another pool beside that one. */
  readonly loginUrl: string;
  /** The one that runs now. */
  readonly provider: EmbeddedProvider;
  /** Where it is managed, and the API's credential for that. */
  readonly management: ReturnType<EmbeddedProvider['serve']>;
  /** Ends it, and starts another in its place, at the same address. */
  restart(options?: Partial<ProviderOptions>): Promise<EmbeddedProvider>;
  /** Adds a user with a password; columns as SQL has them. */
  person(columns?: Readonly<Record<string, unknown>>): Promise<Person>;
  admin(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Cheap to work out: tests are about who may log in, and not about how long a guess takes. */
export const CHEAP = 4;

export async function openProviderWorld(options: Partial<ProviderOptions> = {}): Promise<ProviderWorld> {
  const postgres = await createTestDatabase();
  const login = await createProviderLogin(postgres);
  const dataDir = await createScratchFolder();
  const database = openDatabase({
    ...{ url: login.url, poolSize: 4, statementTimeoutMs: 5_000, preparedStatements: true, log },
  });
  const begin = async (port: number, others: Partial<ProviderOptions>): Promise<EmbeddedProvider> => {
    const started = await startEmbeddedProvider({
      ...{ dataDir, log, port, perIp: 100_000 },
      ...others,
    });
    management = started.serve(database);
    return started;
  };
  let management: ProviderWorld['management'] = { url: '', token: '' };
  let provider = await begin(0, options);
  let people = 0;
  const admin = (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    withAdmin(postgres.adminUrl, async (client) => {
      const { rows } = await client.query<Record<string, unknown>>(text, values);
      return rows;
    });

  return {
    postgres,
    dataDir,
    database,
    loginUrl: login.url,
    get provider() {
      return provider;
    },
    get management() {
      return management;
    },
    async restart(others = {}) {
      const { port } = new URL(provider.jwksUrl);
      await provider.close();
      provider = await begin(Number(port), { ...options, ...others });
      return provider;
    },
    async person(columns = {}) {
      people += 1;
      const password = `a password of ${String(people)}`;
      const row: Record<string, unknown> = {
        ...{ email: `person-${String(people)}@firm.example`, name: `Person ${String(people)}` },
        ...{ role: 'ACCOUNT_MANAGER', subject: `idp|person-${String(people)}` },
        password_hash: hashSync(password, genSaltSync(CHEAP)),
        ...columns,
      };
      const names = Object.keys(row);
      const [made] = await admin(
        `insert into public.users (${names.join(', ')})
         values (${names.map((_, index) => `$${String(index + 1)}`).join(', ')}) returning id`,
        Object.values(row),
      );
      return { id: String(made?.['id']), email: String(row['email']), password };
    },
    admin,
    async close() {
      await provider.close();
      await database.close();
      await login.drop();
      await postgres.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
