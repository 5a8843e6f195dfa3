import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { createAuditWriter } from './db/refusals/audit-writer.ts';
import { openSpool } from './db/refusals/spool.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded/postgres/prepare.ts';
import { type Documents, openDocuments } from './documents/documents.ts';
import { placeDemonstration } from './embedded/demonstration.ts';
import { createHttpServer } from './http/server.ts';
import { type EmbeddedProvider, startEmbeddedProvider } from './embedded/provider.ts';
import { createTokenVerifier } from './identity/token-verifier.ts';

export interface Service {
  readonly url: string;
  readonly embedded: {
    readonly database: EmbeddedDatabase | undefined;
    readonly provider: EmbeddedProvider | undefined;
  };
  /** Finishes what was taken, then ends every part; safe to call twice. */
  close(): Promise<void>;
}

type Ending = () => Promise<void>;

/** A connection that no request has, for what must not wait for requests; what is slow there is not worth waiting for. */
const LANE = { poolSize: 1, statementTimeoutMs: 2_000 } as const;

/**
 * Starts every part that the configuration asks for, in order; what was started is ended again when a later part
 * fails.
 * @throws Error in one line a person can act on.
 */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const endings: Ending[] = [];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= endInReverse(endings));
  try {
    return { ...(await startParts(config, log, endings)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(config: Config, log: Logger, endings: Ending[]): Promise<Omit<Service, 'close'>> {
  const spool = await openSpool(config.dataDir);
  endings.push(() => spool.close());
  const provider = await embeddedProvider(config, endings);
  const embedded = await embeddedDatabase(config, log, endings);
  const { database: settings, identity } = config;
  const open = (lane: Partial<typeof LANE>): Database => {
    const opened = openDatabase({ ...settings, url: settings.url ?? embedded?.apiUrl ?? '', log, ...lane });
    endings.push(() => opened.close());
    return opened;
  };
  const database = open({});
  const probed = open(LANE);
  const audit = createAuditWriter({ database: open(LANE), spool, log });
  endings.push(() => audit.close());
  const documents = await contents(config, database, embedded, log);
  endings.push(() => documents.close());
  const { issuer, audience, jwksUrl } = required(identity.provider ?? provider);
  const { roleClaim, clientAccessClaim } = identity;
  const verifier = createTokenVerifier({ issuer, audience, jwksUrl, roleClaim, clientAccessClaim, log });
  const { rateLimits: limits, trustProxy, corsOrigins } = config;
  const server = createHttpServer(
    createApp({ database, probed, documents, verifier, audit, limits, trustProxy, corsOrigins, log }),
  );
  endings.push(() => server.close());
  const port = await listening(server.listen(config.port, config.host), config);
  return {
    url: `http://${bracketed(config.host)}:${String(port)}`,
    embedded: { database: embedded, provider },
  };
}

async function embeddedProvider(
  { identity, dataDir }: Config,
  endings: Ending[],
): Promise<EmbeddedProvider | undefined> {
  if (identity.provider !== undefined) return undefined;
  const claimNames = { role: identity.roleClaim, clientAccess: identity.clientAccessClaim };
  const provider = await startEmbeddedProvider({ dataDir, host: '127.0.0.1', claimNames });
  endings.push(() => provider.close());
  return provider;
}

async function embeddedDatabase(
  { database, dataDir }: Config,
  log: Logger,
  endings: Ending[],
): Promise<EmbeddedDatabase | undefined> {
  if (database.url !== undefined) return undefined;
  const embedded = await startEmbeddedDatabase({ dataDir, log });
  endings.push(() => embedded.stop());
  return embedded;
}

async function contents(
  { documentStore: store, documentStoreEndpoint: endpoint, documentMaxBytes: maxBytes, dataDir }: Config,
  database: Database,
  embedded: EmbeddedDatabase | undefined,
  log: Logger,
): Promise<Documents> {
  const documents = await openDocuments({ store, endpoint, maxBytes, dataDir, database, log });
  if (embedded?.isNew === true) await placeDemonstration(documents);
  return documents;
}

async function listening(port: Promise<number>, { host, port: wanted }: Config): Promise<number> {
  try {
    return await port;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new Error(`PORT ${String(wanted)} of HOST ${host} cannot be listened on: ${code}`, {
      cause: error,
    });
  }
}

function required<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('AUTH_ISSUER is not set and there is no embedded provider');
  return part;
}

/** An IPv6 address as it stands in a URL. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The server first, which drains, and the database last, which the others still need while they end. */
async function endInReverse(endings: readonly Ending[]): Promise<void> {
  for (const end of [...endings].reverse()) await end();
}
