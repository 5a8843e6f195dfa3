import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config, ProviderConfig } from './config.ts';
import { openCounters } from './counters/open.ts';
import { watchClocks } from './db/clocks.ts';
import { type Database, openDatabase } from './db/database.ts';
import { databaseFiguresOf } from './db/database-figures.ts';
import { forgetExpiredAnswers } from './db/expired-answers.ts';
import { tendAuditLog } from './db/housekeeping.ts';
import { identityChangesOf } from './db/identity-changes.ts';
import { tellObjections } from './db/objections.ts';
import type { PoolOptions } from './db/pool.ts';
import { sharedPrimaries, tellingPrimary } from './db/primary.ts';
import { createAuditWriter } from './db/refusals/audit-writer.ts';
import { openSpool } from './db/refusals/spool.ts';
import { openDocuments } from './documents/documents.ts';
import { openDataDir } from './embedded/data-dir.ts';
import { placeDemonstration } from './embedded/demonstration.ts';
import { isDemonstration, peopleOf } from './embedded/people.ts';
import { probe } from './embedded/postgres/free-port.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded/postgres/prepare.ts';
import { assertUnused } from './embedded/postgres/server.ts';
import { DOCS_CLIENT } from './embedded/provider/clients.ts';
import type { EmbeddedProvider } from './embedded/provider/start.ts';
import { openParts, type Parts } from './endings.ts';
import type { DocsLogin } from './http/docs-login.ts';
import type { Person } from './http/docs-people.ts';
import { createHttpServer } from './http/server.ts';
import { createDiscovery } from './identity/discovery.ts';
import { openManagement } from './identity/management/client.ts';
import { createProviderClock } from './identity/provider-clock.ts';
import { createTokenVerifier } from './identity/token-verifier.ts';
import { DELIVERY_IDLE_MS, LANE_MS, LOOKING_MS } from './limits.ts';
import { createMetricsServer } from './metrics/server.ts';
import { deliverIdentityChanges } from './outbox/worker.ts';
import { descriptionOf } from './resources/description.ts';
import { allEndpoints } from './resources/index.ts';
import { openSeen } from './seen.ts';
import { codeOf } from './system-error.ts';

export interface Service {
  readonly url: string;
  readonly embedded: {
    readonly database: EmbeddedDatabase | undefined;
    readonly provider: EmbeddedProvider | undefined;
    /** Whose tokens may be printed. */
    readonly people: readonly Person[];
  };
  /** Finishes what was taken, then ends every part, within ten seconds; safe to call twice. */
  close(): Promise<void>;
}

/** A connection that no request has, for what must not wait for requests; what is slow there is not worth waiting for. */
const LANE = { poolSize: 1, statementTimeoutMs: LANE_MS } as const;

/**
 * Starts every part that the configuration asks for, in order; what was started is ended again when a later part
 * fails, or `ending` is aborted meanwhile.
 * @throws Error in one line a person can act on; the reason of `ending` where that ended the start.
 */
export async function startService(config: Config, log: Logger, ending?: AbortSignal): Promise<Service> {
  const parts = openParts(log);
  try {
    return { ...(await startParts(config, log, parts, ending)), close: parts.close };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** The order of the start; its end is the reverse. */
async function startParts(
  config: Config,
  log: Logger,
  { add }: Parts,
  ending?: AbortSignal,
): Promise<Omit<Service, 'close'>> {
  const { dataDir, identity, trustProxy, corsOrigins, serverTiming } = config;
  await checkBeforehand(config);
  const spool = add('the spool of refusals', 200, await openSpool(dataDir));
  const seen = add('the traces', 0, await openSeen(config, log));
  const counters = add('the counters', 0, await openCounters(config, log));

  // What runs here where the configuration names no other.
  const provider = add('the identity provider', 300, await embeddedProvider(config, log));
  const embedded = add('the embedded Postgres', 1_500, await embeddedDatabase(config, log, ending));

  // The way to Postgres: for requests, and for what must not wait for them.
  const primaryOf = sharedPrimaries(tellingPrimary(log));
  const open = (name: string, lane: Partial<PoolOptions> = {}): Database => {
    const url = lane.url ?? config.database.url ?? embedded?.apiUrl ?? '';
    const common = { ...config.database, log, primary: primaryOf(url), onWaited: seen.waited?.(name) };
    seen.lanes[name] = add(`the lane of ${name}`, 200, openDatabase({ ...common, ...lane, url }));
    return seen.lanes[name];
  };
  const database = open('requests');

  // What is done beside requests, by whichever instance comes first.
  if (embedded !== undefined)
    provider?.serve(open('identity_provider', { url: embedded.adminUrl, poolSize: 4 }));
  else if (provider !== undefined)
    log.info(
      'nobody can log in at the embedded identity provider: its users are those of the embedded Postgres',
    );
  // Not waited for: an outage at the start is one like any other. At the end its pool would be closed, and it would warn.
  const told = tellObjections(database, log);
  add('the look at the database', 0, {
    close: () => Promise.race([told, delay(LOOKING_MS, undefined, { ref: false })]),
  });
  const housekeeping = {
    kept_answers: add('the kept answers', 0, forgetExpiredAnswers({ database, log })),
    audit_log_months: add('the months of the audit log', 0, tendAuditLog(database, log)),
  };
  // An instance that is not told where to send changes leaves them to those that are.
  const managed = identity.management ?? (embedded && provider?.management);
  if (managed !== undefined) {
    const delivery = { changes: identityChangesOf(database), management: openManagement(managed) };
    const delivering = deliverIdentityChanges({ ...delivery, log, idleMs: DELIVERY_IDLE_MS });
    add('the delivery to the identity provider', 1_500, delivering);
  }

  // What answers requests.
  const probed = open('health', LANE);
  const writer = createAuditWriter({ database: open('refusals', LANE), spool, log });
  const audit = add('the refusals', 1_000, writer);
  const documents = add(
    'the documents',
    500,
    await openDocuments({ ...config.documents, dataDir, database, log }),
  );
  await placeDemonstration(embedded?.demonstration ?? [], documents, log);
  const trusted = required(identity.provider ?? provider);
  const clock = createProviderClock({ url: trusted.jwksUrl });
  const clocks = add('the clocks', 0, watchClocks({ clock, database, log }));
  const { roleClaim, clientAccessClaim, emailsVerified } = identity;
  const verifier = createTokenVerifier({
    ...{ ...trusted, roleClaim, clientAccessClaim, emailsVerified, log },
    ...{ providerNow: clock.now, onIssued: clocks.issued, onFetched: seen.onFetched },
  });
  const people = provider === undefined ? [] : peopleOf(provider);
  const app = createApp({
    ...{ database, probed, documents, verifier, audit, log, counters, observers: seen.observers },
    ...{ limits: config.rateLimits, trustProxy, corsOrigins, serverTiming },
    people: isDemonstration(config) ? people : [],
    login: docsLogin(config, trusted, provider, log),
  });
  const server = createHttpServer(app, { corsOrigins, onRefused: seen.onRefused });
  add('the server', 5_000, server);
  descriptionOf(allEndpoints);
  const port = await listening(server.listen(config.port, config.host), config);

  // Its figures.
  if (seen.registry !== undefined) {
    const asked = databaseFiguresOf(open('metrics', LANE));
    seen.ask({
      ...{ audit, spool, verifier, documents, counters, clocks, housekeeping, dataDir },
      database: asked,
    });
    const metrics = add('the metrics', 0, createMetricsServer(seen.registry));
    await listening(metrics.listen(config.metricsPort ?? 0, config.host), config, 'METRICS_PORT');
  }
  const url = `http://${bracketed(config.host)}:${String(port)}`;
  return { url, embedded: { database: embedded, provider, people } };
}

/** Nothing is made for a start that cannot succeed. */
async function checkBeforehand(config: Config): Promise<void> {
  const folder = await openDataDir(config.dataDir);
  if (config.database.url !== undefined) return;
  assertUnused(folder);
  await listening(probe(config.port, config.host), config);
}

/** Unless the configuration names another. */
async function embeddedProvider(config: Config, log: Logger): Promise<EmbeddedProvider | undefined> {
  if (config.identity.provider !== undefined) return undefined;
  // Its library is loaded where it is needed, as are those of figures, traces and buckets.
  const { startEmbeddedProvider } = await import('./embedded/provider/start.ts');
  return startEmbeddedProvider(config, log);
}

/** Unless the configuration names another. */
async function embeddedDatabase(
  { database, dataDir, identity }: Config,
  log: Logger,
  ending: AbortSignal | undefined,
): Promise<EmbeddedDatabase | undefined> {
  if (database.url !== undefined) return undefined;
  return startEmbeddedDatabase({ dataDir, log, ending, passwords: identity.provider === undefined });
}

function required<T>(provider: T | undefined): T {
  if (provider === undefined) throw new Error('AUTH_ISSUER is not set and there is no embedded provider');
  return provider;
}

/** Where the page of /docs lets somebody log in: at the embedded provider, or at another that has a client for it. */
function docsLogin(
  { identity: { docs } }: Config,
  { issuer, audience }: ProviderConfig,
  embedded: EmbeddedProvider | undefined,
  log: Logger,
): DocsLogin | undefined {
  const clientId = embedded === undefined ? docs.clientId : DOCS_CLIENT;
  if (clientId === undefined) return undefined;
  const discovery = createDiscovery({ issuer, log });
  return { issuer, audience, clientId, scope: docs.scope, discovery };
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

/** An IPv6 address as it stands in a URL. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
