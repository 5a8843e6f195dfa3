import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { tellObjections } from './db/objections.ts';
import { forgetExpiredAnswers } from './db/expired-answers.ts';
import { tendAuditLog } from './db/housekeeping.ts';
import { createAuditWriter } from './db/refusals/audit-writer.ts';
import { openSpool } from './db/refusals/spool.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded/postgres/prepare.ts';
import { type Documents, openDocuments } from './documents/documents.ts';
import { placeDemonstration } from './embedded/demonstration.ts';
import { openDataDir } from './embedded/data-dir.ts';
import { isDemonstration, peopleOf } from './embedded/people.ts';
import { probe } from './embedded/postgres/free-port.ts';
import { assertUnused } from './embedded/postgres/server.ts';
import { endInReverse, type Ending } from './endings.ts';
import type { Person } from './http/docs-people.ts';
import { createHttpServer } from './http/server.ts';
import { docsLogin, embeddedProvider } from './identity-parts.ts';
import { identityChangesOf } from './db/identity-changes.ts';
import { openManagement } from './identity/management/client.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createMetricsServer } from './metrics/server.ts';
import { deliverIdentityChanges } from './outbox/worker.ts';
import type { EmbeddedProvider } from './embedded/provider/start.ts';
import { createTokenVerifier } from './identity/token-verifier.ts';
import { codeOf } from './system-error.ts';

export interface Service {
  readonly url: string;
  readonly embedded: {
    readonly database: EmbeddedDatabase | undefined;
    readonly provider: EmbeddedProvider | undefined;
    /** Whose tokens may be printed: nobody's where real people log in. */
    readonly people: readonly Person[];
  };
  /** Finishes what was taken, then ends every part, within ten seconds; safe to call twice. */
  close(): Promise<void>;
}

/** How long after it found nothing the delivery looks again. */
const IDLE_MS = 1_000;

/** A connection that no request has, for what must not wait for requests; what is slow there is not worth waiting for. */
const LANE = { poolSize: 1, statementTimeoutMs: 2_000 } as const;

/** What is different of a connection that is not the requests'. */
interface Lane {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
}

/**
 * Starts every part that the configuration asks for, in order; what was started is ended again when a later part
 * fails, or `ending` is aborted meanwhile.
 * @throws Error in one line a person can act on; the reason of `ending` where that ended the start.
 */
export async function startService(config: Config, log: Logger, ending?: AbortSignal): Promise<Service> {
  const endings: Ending[] = [];
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= endInReverse(endings, log));
  try {
    return { ...(await startParts(config, log, endings, ending)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startParts(
  config: Config,
  log: Logger,
  endings: Ending[],
  ending?: AbortSignal,
): Promise<Omit<Service, 'close'>> {
  await checkBeforehand(config);
  const spool = await openSpool(config.dataDir);
  endings.push({ part: 'the spool of refusals', atLeastMs: 200, end: () => spool.close() });
  const provider = await embeddedProvider(config, log, endings);
  const embedded = await embeddedDatabase(config, log, endings, ending);
  const { database: settings, identity } = config;
  const open = (part: string, lane: Partial<Lane> = {}): Database => {
    const opened = openDatabase({ ...settings, url: settings.url ?? embedded?.apiUrl ?? '', log, ...lane });
    endings.push({ part, atLeastMs: 200, end: (withinMs) => opened.close(withinMs) });
    return opened;
  };
  const database = open('the database');
  const probed = open('the lane of the health check', LANE);
  const identityUrl = embedded?.identityUrl ?? identity.embedded.databaseUrl;
  const own =
    identityUrl === undefined
      ? undefined
      : provider?.serve(open('the lane of the identity provider', { url: identityUrl, poolSize: 4 }));
  if (provider !== undefined && own === undefined)
    log.info('nobody can log in at the embedded identity provider: IDENTITY_DATABASE_URL is not set');
  // Not waited for: an outage at the start is one like any other.
  void tellObjections(database, log);
  const audit = createAuditWriter({ database: open('the lane of refusals', LANE), spool, log });
  endings.push({ part: 'the refusals', atLeastMs: 1_000, end: () => audit.close() });
  const forgetting = forgetExpiredAnswers({ database, log });
  endings.push({ part: 'the kept answers', atLeastMs: 0, end: () => forgetting.close() });
  const housekeeping = tendAuditLog({ database, log });
  endings.push({ part: 'the months of the audit log', atLeastMs: 0, end: () => housekeeping.close() });
  const documents = await contents(config, database, embedded, log);
  endings.push({ part: 'the documents', atLeastMs: 500, end: (withinMs) => documents.close(withinMs) });
  const changes = identityChangesOf(database);
  // An instance that is not told where to send changes leaves them to those that are.
  const managed = identity.management ?? own;
  if (managed !== undefined) {
    const management = openManagement(managed);
    const worker = deliverIdentityChanges({ changes, management, log, idleMs: IDLE_MS });
    const part = 'the delivery to the identity provider';
    endings.push({ part, atLeastMs: 1_500, end: (withinMs) => worker.close(withinMs) });
  }
  const { issuer, audience, jwksUrl } = required(identity.provider ?? provider);
  const { roleClaim, clientAccessClaim, emailsVerified } = identity;
  const verifier = createTokenVerifier({
    ...{ issuer, audience, jwksUrl, log },
    ...{ roleClaim, clientAccessClaim, emailsVerified },
  });
  const { rateLimits: limits, trustProxy, corsOrigins } = config;
  const known = provider === undefined || identity.embedded.production ? [] : peopleOf(provider);
  const people = isDemonstration(config) ? known : [];
  const server = createHttpServer(
    createApp({
      ...{ database, probed, documents, verifier, audit, log },
      ...{ limits, trustProxy, corsOrigins, people, login: docsLogin(identity, provider) },
    }),
    { corsOrigins },
  );
  endings.push({ part: 'the server', atLeastMs: 5_000, end: (withinMs) => server.close(withinMs) });
  const port = await listening(server.listen(config.port, config.host), config);
  if (config.metricsPort !== undefined) {
    const metrics = createMetricsServer(createMetrics({ undelivered: () => changes.undelivered() }));
    endings.push({ part: 'the metrics', atLeastMs: 0, end: () => metrics.close() });
    await listening(metrics.listen(config.metricsPort, config.host), config, 'METRICS_PORT');
  }
  return {
    url: `http://${bracketed(config.host)}:${String(port)}`,
    embedded: { database: embedded, provider, people: known },
  };
}

/** Nothing is made for a start that cannot succeed. */
async function checkBeforehand(config: Config): Promise<void> {
  const { database, dataDir, port, host } = config;
  const folder = await openDataDir(dataDir);
  if (database.url !== undefined) return;
  assertUnused(folder);
  await listening(probe(port, host), config);
}

async function embeddedDatabase(
  { database, dataDir, identity }: Config,
  log: Logger,
  endings: Ending[],
  ending?: AbortSignal,
): Promise<EmbeddedDatabase | undefined> {
  if (database.url !== undefined) return undefined;
  const passwords = identity.provider === undefined;
  const embedded = await startEmbeddedDatabase({ dataDir, log, ending, passwords });
  endings.push({
    part: 'the embedded Postgres',
    atLeastMs: 1_500,
    end: (withinMs) => embedded.stop(withinMs),
  });
  return embedded;
}

async function contents(
  { documentStore: store, documentStoreEndpoint: endpoint, documentMaxBytes: maxBytes, dataDir }: Config,
  database: Database,
  embedded: EmbeddedDatabase | undefined,
  log: Logger,
): Promise<Documents> {
  const documents = await openDocuments({ store, endpoint, maxBytes, dataDir, database, log });
  await placeDemonstration(embedded?.demonstration ?? [], documents, log);
  return documents;
}

async function listening(
  port: Promise<number>,
  { host, port: wanted, metricsPort }: Config,
  variable: 'PORT' | 'METRICS_PORT' = 'PORT',
): Promise<number> {
  try {
    return await port;
  } catch (error) {
    const reason = codeOf(error) ?? String(error);
    const number = variable === 'PORT' ? wanted : metricsPort;
    throw new Error(`${variable} ${String(number)} of HOST ${host} cannot be listened on: ${reason}`, {
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
