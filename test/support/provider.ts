import { rm } from 'node:fs/promises';
import { genSaltSync, hashSync } from 'bcryptjs';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { loadConfig } from '../../src/config.ts';
import type { Environment } from '../../src/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { startEmbeddedProvider } from '../../src/demo/provider/start.ts';
import type { EmbeddedProvider } from '../../src/demo/provider/start.ts';
import { createTokenVerifier } from '../../src/identity/token-verifier.ts';
import type { TokenVerifier } from '../../src/identity/token-verifier.ts';
import { createTestDatabase } from './database.ts';
import { make } from './rows.ts';
import { createScratchFolder } from './scratch.ts';
import { adminOf } from './world.ts';
import type { Admin } from './world.ts';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

interface ProviderWorld {
  readonly provider: EmbeddedProvider;
  /** Closes the embedded identity provider and starts another one at the same address. */
  restart(): Promise<void>;
  /** Stores a user with a password. The argument `columns` has further columns by their SQL names. */
  person(columns?: Readonly<Record<string, unknown>>): Promise<Person>;
  readonly admin: Admin;
  close(): Promise<void>;
}

/**
 * The lowest cost of the password hash bcrypt, because tests with this provider do not measure how long a password
 * guess takes.
 */
const CHEAP = 4;

export function startProvider(environment: Environment, log?: Logger): Promise<EmbeddedProvider> {
  return startEmbeddedProvider(loadConfig(environment), log ?? pino({ level: 'silent' }));
}

/** Returns a verifier of the embedded identity provider’s tokens, as a service beside the provider has it. */
export function verifierOf({ issuer, audience, jwksUrl }: EmbeddedProvider): TokenVerifier {
  const names = { roleClaim: 'role', clientAccessClaim: 'client_access' };
  return createTokenVerifier({ issuer, audience, jwksUrl, ...names, log: pino({ level: 'silent' }) });
}

export async function openProviderWorld(environment: Environment = {}, log?: Logger): Promise<ProviderWorld> {
  const postgres = await createTestDatabase();
  const dataDir = await createScratchFolder();
  const database = openDatabase({
    ...{ url: postgres.adminUrl, poolSize: 4, statementTimeoutMs: 5_000, preparedStatements: true },
    log: pino({ level: 'silent' }),
  });
  const begin = async (port: string): Promise<EmbeddedProvider> => {
    const own = { DATA_DIR: dataDir, IDENTITY_PORT: port, RATE_LIMIT_PER_IP: '100000' };
    const started = await startProvider({ ...own, ...environment }, log);
    started.useDatabase(database);
    return started;
  };
  let provider = await begin('0');
  let people = 0;
  const admin = adminOf(postgres.adminUrl);

  return {
    get provider() {
      return provider;
    },
    async restart() {
      const { port } = new URL(provider.issuer);
      await provider.close();
      provider = await begin(port);
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
      return { id: await make({ admin }, 'users', row), email: String(row['email']), password };
    },
    admin,
    async close() {
      await provider.close();
      await database.close();
      await postgres.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
