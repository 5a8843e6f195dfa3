import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config, ProviderConfig } from './config.ts';
import type { Counters } from './counters/counters.ts';
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
import { openReplicas } from './db/replicas/open.ts';
import { openDocuments } from './documents/documents.ts';
import { openDataDir } from './embedded/data-dir.ts';
import { placeDemonstration } from './embedded/demonstration.ts';
import { isDemonstration, peopleOf } from './embedded/people.ts';
import { probe } from './embedded/postgres/free-port.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded/postgres/prepare.ts';
import { assertUnused } from './embedded/postgres/server.ts';
import { DOCS_CLIENT } from './embedded/provider/clients.ts';
import { type EmbeddedProvider, startEmbeddedProvider } from './embedded/provider/start.ts';
import { openParts, type Parts } from './endings.ts';
import type { DocsLogin } from './http/docs-login.ts';
import type { Person } from './http/docs-people.ts';
import {
  checkBeforehand,
  groundOf,
  keepHouse,
  opening,
  serveApi,
  serveMetrics,
  startFoundation,
} from './parts.ts';
import type { Foundation } from './parts.ts';
import { openSeen } from './seen.ts';
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
/** How long the first look at the database may still take once the service ends. */
const LOOKING_MS = 500;
/** A connection that no request has, for what must not wait for requests; what is slow there is not worth waiting for. */
const LANE = { poolSize: 1, statementTimeoutMs: 2_000 } as const;

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
  const spool = await openSpool(config.dataDir);
  endings.push({ part: 'the spool of refusals', atLeastMs: 200, end: () => spool.close() });
  const seen = await openSeen(config, log);
  endings.push({ part: 'the traces', atLeastMs: 0, end: (withinMs) => seen.close(withinMs) });
  const counters = await openCounters(config, log);
  endings.push({ part: 'the counters', atLeastMs: 0, end: () => counters.close() });
  const foundation = await startFoundation(config, log, endings, { counters, ending });
  const ground = groundOf(foundation);
  const open = opening(config, log, endings, { apiUrl: ground.apiUrl, seen });
  const database = open('requests');
  const kept = keepHouse(config, log, endings, { foundation, open, database });
  const { url, ...parts } = await serveApi(config, log, endings, {
    ...{ ground, open, database, spool, counters, seen },
  });
  await serveMetrics(config, endings, {
    ...{ seen, open, parts: { ...parts, ...kept } },
    source: (registry) => registry,
  });
  const people = provider === undefined || identity.embedded.production ? [] : peopleOf(provider);
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
      ...{ audit, spool, verifier, documents, counters, clocks, replicas, housekeeping, dataDir },
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
async function embeddedProvider(
  { identity, dataDir, host, corsOrigins, trustProxy, rateLimits }: Config,
  log: Logger,
  counters: Counters,
): Promise<EmbeddedProvider | undefined> {
  if (identity.provider !== undefined) return undefined;
  const { port, issuer, production } = identity.embedded;
  if (production)
    log.warn(
      'the embedded identity provider lets real people in: whoever reads DATA_DIR/identity is everybody, and nobody else keeps a copy of it',
    );
  return startEmbeddedProvider({
    ...{ dataDir, log, port, issuer, corsOrigins, trustProxy, perIp: rateLimits.perIp, counters },
    // Its address is of this machine, unless a proxy leads to it.
    host: issuer === undefined ? undefined : host,
    claimNames: { role: identity.roleClaim, clientAccess: identity.clientAccessClaim },
    loopback: !production,
  });
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
  const discovery = createDiscovery({ issuer, at: embedded?.url, log });
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
