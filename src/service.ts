import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config, ProviderConfig } from './config.ts';
import { openCounters } from './counters/counters.ts';
import { openDataDir } from './data-dir.ts';
import { watchChanges } from './db/changes.ts';
import { watchClocks } from './db/clocks.ts';
import type { Database } from './db/database.ts';
import { createDatabaseFigureReaders, scheduleHousekeeping } from './db/housekeeping.ts';
import { logDatabaseObjections, refuseForeignDatabase } from './db/objections.ts';
import { openPools } from './db/pools.ts';
import { createAuditWriter } from './db/refusals/audit-writer.ts';
import { openSpool } from './db/refusals/spool.ts';
import { openDocuments } from './documents/documents.ts';
import { createChangeStreams } from './http/change-streams.ts';
import type { DemonstrationUser } from './http/docs.ts';
import { awaitListening } from './http/listening.ts';
import { createHttpServer } from './http/server.ts';
import { createKeySetUrlFinder, createLoginDiscovery } from './identity/discovery.ts';
import { createProviderClock } from './identity/provider-clock.ts';
import { createTokenVerifier } from './identity/token-verifier.ts';
import { SHUTDOWN_DATABASE_CHECK_MS } from './limits.ts';
import { createMetricsServer } from './metrics/server.ts';
import type { MetricSources } from './metrics/sources.ts';
import { openObservability } from './observability.ts';
import { deliverReminders, deliverRights } from './outbox/deliveries.ts';
import { readDueDeadlines } from './resources/reminders.ts';
import type { ShutdownList } from './shutdown.ts';

/** A configuration that names a database and an identity provider: the operator's own, or one of the demonstration. */
export type ServiceConfig = Config & {
  readonly database: { readonly url: string };
  readonly identity: { readonly provider: ProviderConfig };
  /** The users whose tokens /docs offers; only the demonstration has some. */
  readonly demonstrationUsers?: readonly DemonstrationUser[];
};

export function isServiceConfig(config: Config): config is ServiceConfig {
  return config.database.url !== undefined && config.identity.provider !== undefined;
}

/**
 * Starts the parts of the service and registers each at `parts`, whose `close` ends them, also after a failed start.
 * @returns the address of the service
 * @throws Error in one line
 */
export async function startService(
  config: ServiceConfig,
  log: Logger,
  { register }: Pick<ShutdownList, 'register'>,
): Promise<string> {
  const { dataDir, host, corsOrigins, identity } = config;
  await openDataDir(dataDir);
  const spool = register('the spool of refusals', 200, await openSpool(dataDir));
  const observability = register('the traces', 0, await openObservability(config, log));
  const counters = register('the counters', 0, await openCounters(config, log));
  const pools = openPools(config.database, log, observability.poolWaited);
  for (const [name, pool] of Object.entries(pools)) register(`the connections for ${name}`, 200, pool);
  const database = pools.requests;
  await refuseForeignDatabase(database, config.database.url);
  const documents = register(
    'the documents',
    500,
    await openDocuments({ ...config.documents, dataDir, database, log }),
  );
  const housekeeping = await startBackgroundWork(config, database, log, register);

  const audit = register('the refusals', 1_000, createAuditWriter(pools.refusals, spool, log));
  const { provider, subjectClaim, roleClaim, clientAccessClaim, isAudienceClientId, emailsVerified } = identity;
  const clock = createProviderClock({ findUrl: createKeySetUrlFinder(provider) });
  const clocks = register('the clocks', 0, watchClocks(clock, database, log));
  const verifier = createTokenVerifier({
    ...provider,
    subjectClaim,
    roleClaim,
    clientAccessClaim,
    isAudienceClientId,
    emailsVerified,
    log,
    providerNow: clock.now,
    onIssued: clocks.onTokenIssued,
    onFetched: observability.onFetched,
  });
  const watch = register('the watch for changes', 0, watchChanges(pools.changes, log));
  const streams = createChangeStreams({ watch, verifier });
  const app = createApp({
    database,
    healthDatabase: pools.health,
    documents,
    changes: streams,
    verifier,
    audit,
    log,
    counters,
    observers: observability.observers,
    limits: config.rateLimits,
    trustProxy: config.trustProxy,
    publicPath: config.publicPath,
    corsOrigins,
    serverTiming: config.serverTiming,
    demonstrationUsers: config.demonstrationUsers ?? [],
    login: describeLogin(identity, log),
  });
  const { onRefused } = observability;
  const server = register('the server', 5_000, createHttpServer(app, { corsOrigins, onRefused }));
  register('the streams of changes', 0, streams);
  const port = await awaitListening(server.listen(config.port, host), `PORT ${config.port} of HOST ${host}`);

  const sources = { pools, dataDir, audit, spool, verifier, documents, counters, clocks, streams, housekeeping };
  await serveMetrics(config, observability, sources, register);
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Starts what the service does without a request: checks, housekeeping, and the deliveries of rights and reminders. */
async function startBackgroundWork(
  { identity, mails, auditRetentionMonths }: ServiceConfig,
  database: Database,
  log: Logger,
  register: ShutdownList['register'],
) {
  // The start does not wait for `logDatabaseObjections`, because the database may be down.
  const checked = logDatabaseObjections(database, log);
  const close = () => Promise.race([checked, delay(SHUTDOWN_DATABASE_CHECK_MS, undefined, { ref: false })]);
  register('the check of the database', 0, { close });
  const housekeeping = scheduleHousekeeping(database, log, auditRetentionMonths);
  for (const [name, task] of Object.entries(housekeeping)) register(name, 0, task);
  register('the delivery to the identity provider', 1_500, await deliverRights(identity, database, log));
  const readDue = readDueDeadlines.bind(undefined, database);
  register('the reminders', 1_500, await deliverReminders(mails, database, readDue, log));
  return housekeeping;
}

/** Returns how a person logs in at /docs; undefined if no client application is configured for /docs. */
function describeLogin({ provider, docs }: ServiceConfig['identity'], log: Logger) {
  const { issuer, audience } = provider;
  const { clientId, scope } = docs;
  if (clientId === undefined) return undefined;
  return { issuer, audience, clientId, scope, discovery: createLoginDiscovery({ issuer, log }) };
}

/** Serves the metrics of the parts in `sources` at METRICS_PORT, if it is set. */
async function serveMetrics(
  { host, metricsPort = 0, auditRetentionMonths }: ServiceConfig,
  { registry, collectFromParts }: Awaited<ReturnType<typeof openObservability>>,
  sources: Omit<MetricSources, 'database'> & { readonly pools: ReturnType<typeof openPools> },
  register: ShutdownList['register'],
): Promise<void> {
  if (registry === undefined) return;
  const database = createDatabaseFigureReaders(sources.pools.metrics, auditRetentionMonths);
  collectFromParts({ ...sources, database });
  const server = register('the metrics', 0, createMetricsServer(registry));
  await awaitListening(server.listen(metricsPort, host), `METRICS_PORT ${metricsPort} of HOST ${host}`);
}
