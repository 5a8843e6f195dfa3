import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { openCounters } from './counters/counters.ts';
import { watchChanges } from './db/changes.ts';
import { watchClocks } from './db/clocks.ts';
import { type Database, openDatabase } from './db/database.ts';
import {
  createDatabaseFigureReaders,
  scheduleExpiredAnswerDeletion,
  scheduleAuditLogUpkeep,
  scheduleUnassignment,
} from './db/housekeeping.ts';
import { createIdentityChangeQueue } from './db/identity-changes.ts';
import { logDatabaseObjections, refuseForeignDatabase } from './db/objections.ts';
import type { PoolOptions } from './db/pool.ts';
import { createSharedPrimaryTrackers, primaryLogger } from './db/primary.ts';
import { createReminderQueue, type Reminder } from './db/reminders.ts';
import { createAuditWriter } from './db/refusals/audit-writer.ts';
import { openSpool } from './db/refusals/spool.ts';
import { openDocuments, createContentStore } from './documents/documents.ts';
import { openDataDir } from './embedded/data-dir.ts';
import { storeDemonstrationDocuments } from './embedded/demonstration.ts';
import { isDemonstrationConfig, createDemonstrationUsers } from './embedded/people.ts';
import { listenBriefly } from './embedded/postgres/free-port.ts';
import type { EmbeddedDatabase } from './embedded/postgres/prepare.ts';
import { DOCS_CLIENT_ID } from './embedded/provider/clients.ts';
import type { EmbeddedProvider } from './embedded/provider/start.ts';
import { createShutdownList, type ShutdownList } from './shutdown.ts';
import { createChangeStreams } from './http/change-streams.ts';
import { createHttpServer } from './http/server.ts';
import { createLoginDiscovery } from './identity/discovery.ts';
import { createProviderClock } from './identity/provider-clock.ts';
import { createTokenVerifier } from './identity/token-verifier.ts';
import { RIGHTS_DELIVERY_POLL_MS, INTERNAL_STATEMENT_TIMEOUT_MS, SHUTDOWN_DATABASE_CHECK_MS } from './limits.ts';
import { createMetricsServer } from './metrics/server.ts';
import { deliverIdentityChanges } from './outbox/worker.ts';
import { openObservability } from './observability.ts';
import { readDueDeadlines } from './resources/reminders.ts';
import { readSystemErrorCode } from './system-error.ts';

export interface Service {
  readonly url: string;
  readonly embedded: {
    readonly database: EmbeddedDatabase | undefined;
    readonly provider: EmbeddedProvider | undefined;
    /** The folder to which the service writes mails if no mail server is configured. */
    readonly mails: string | undefined;
  };
  /** Finishes running requests, then closes servers, pools and tasks within SHUTDOWN_TIMEOUT_MS; a repeat is safe. */
  close(): Promise<void>;
}

const SINGLE_CONNECTION_POOL = { poolSize: 1, statementTimeoutMs: INTERNAL_STATEMENT_TIMEOUT_MS } as const;

/** If the start fails, closes what has started. @throws Error in one line; the reason of an aborted `ending` */
export async function startService(config: Config, log: Logger, ending?: AbortSignal): Promise<Service> {
  const shutdownList = createShutdownList(log);
  try {
    return { ...(await startServiceParts(config, log, shutdownList, ending)), close: shutdownList.close };
  } catch (error) {
    await shutdownList.close();
    throw error;
  }
}

async function startServiceParts(
  config: Config,
  log: Logger,
  { register }: ShutdownList,
  ending?: AbortSignal,
): Promise<Omit<Service, 'close'>> {
  const { dataDir, identity, trustProxy, corsOrigins, serverTiming, auditRetentionMonths: retentionMonths } = config;
  await checkBeforeStart(config);
  const spool = register('the spool of refusals', 200, await openSpool(dataDir));
  const observability = register('the traces', 0, await openObservability(config, log));
  const counters = register('the counters', 0, await openCounters(config, log));

  const usesEmbeddedProvider = identity.provider === undefined;
  const provider = usesEmbeddedProvider
    ? await (await import('./embedded/provider/start.ts')).startEmbeddedProvider(config, log)
    : undefined;
  register('the identity provider', 300, provider);
  const hasPostgres = config.database.url !== undefined;
  const embeddedPostgresOptions = { dataDir, log, ending, passwords: usesEmbeddedProvider };
  const embeddedPostgres = hasPostgres
    ? undefined
    : await (await import('./embedded/postgres/prepare.ts')).startEmbeddedDatabase(embeddedPostgresOptions);
  register('the embedded Postgres', 1_500, embeddedPostgres);

  const findPrimaryTracker = createSharedPrimaryTrackers(primaryLogger(log));
  const openPool = (name: string, lane: Partial<PoolOptions> = {}): Database => {
    const url = lane.url ?? config.database.url ?? embeddedPostgres?.apiUrl ?? '';
    const commonPoolOptions = {
      ...config.database,
      log,
      primary: findPrimaryTracker(url),
      onWaited: observability.poolWaited?.(name),
    };
    observability.lanes[name] = register(
      `the lane of ${name}`,
      200,
      openDatabase({ ...commonPoolOptions, ...lane, url }),
    );
    return observability.lanes[name];
  };
  const database = openPool('requests');
  if (config.database.url !== undefined) await refuseForeignDatabase(database, config.database.url);

  if (embeddedPostgres !== undefined)
    provider?.useDatabase(openPool('identity_provider', { url: embeddedPostgres.adminUrl, poolSize: 4 }));
  else if (provider !== undefined)
    log.info('nobody can log in at the embedded identity provider: its users are those of the embedded Postgres');
  // The start does not wait for `logDatabaseObjections`, because the database may be down. Shutdown ends the database
  // check before the connection pool; otherwise the check would log a warning.
  const databaseCheckPromise = logDatabaseObjections(database, log);
  register('the look at the database', 0, {
    close: () => Promise.race([databaseCheckPromise, delay(SHUTDOWN_DATABASE_CHECK_MS, undefined, { ref: false })]),
  });
  const housekeeping = {
    kept_answers: register('the kept answers', 0, scheduleExpiredAnswerDeletion(database, log)),
    lost_clients: register('the claims of lost clients', 0, scheduleUnassignment(database, log)),
    audit_log_months: register(
      'the months of the audit log',
      0,
      scheduleAuditLogUpkeep(database, log, retentionMonths),
    ),
  };
  // An instance without access to the identity provider's management interface leaves the delivery of changed rights to
  // other instances.
  const managementConfig = identity.management ?? (embeddedPostgres && provider?.management);
  if (managementConfig !== undefined) {
    const { openManagementClient } = await import('./identity/management/client.ts');
    const deliveryOptions = {
      changes: createIdentityChangeQueue(database),
      management: openManagementClient(managementConfig),
    };
    const deliveryWorker = deliverIdentityChanges({
      ...deliveryOptions,
      log,
      idleMs: RIGHTS_DELIVERY_POLL_MS,
    });
    register('the delivery to the identity provider', 1_500, deliveryWorker);
  }

  const openedMailer = await openMailer(config, embeddedPostgres !== undefined);
  if (openedMailer.send !== undefined) {
    const { sendReminders } = await import('./outbox/reminders.ts');
    const { sendAt, frontendUrl } = config.mails;
    const readDueItems = (reminder: Reminder) => readDueDeadlines(database, reminder);
    const reminderOptions = {
      queue: createReminderQueue(database),
      readDueItems,
      send: openedMailer.send,
      sendAt,
      frontendUrl,
      log,
    };
    register('the reminders', 1_500, sendReminders(reminderOptions));
  }

  const healthDatabase = openPool('health', SINGLE_CONNECTION_POOL);
  const audit = register(
    'the refusals',
    1_000,
    createAuditWriter(openPool('refusals', SINGLE_CONNECTION_POOL), spool, log),
  );
  const openedDocuments = await openDocuments({ ...config.documents, dataDir, database, log });
  const documents = register('the documents', 500, openedDocuments);
  await storeDemonstrationDocuments(embeddedPostgres?.demonstration ?? [], documents, log);
  const trustedProvider = identity.provider ?? provider;
  if (trustedProvider === undefined) throw new Error('AUTH_ISSUER is not set and there is no embedded provider');
  const providerClock = createProviderClock({ url: trustedProvider.jwksUrl });
  const clocks = register('the clocks', 0, watchClocks(providerClock, database, log));
  const { roleClaim, clientAccessClaim, emailsVerified } = identity;
  const verifier = createTokenVerifier({
    ...{ ...trustedProvider, roleClaim, clientAccessClaim, emailsVerified, log },
    ...{ providerNow: providerClock.now, onIssued: clocks.onTokenIssued, onFetched: observability.onFetched },
  });
  const watch = register('the look for changes', 0, watchChanges(openPool('changes', SINGLE_CONNECTION_POOL), log));
  const changes = createChangeStreams({ watch, verifier });
  const { issuer, audience } = trustedProvider;
  const clientId = provider === undefined ? identity.docs.clientId : DOCS_CLIENT_ID;
  const { scope } = identity.docs;
  const discovery = createLoginDiscovery({ issuer, log });
  const app = createApp({
    ...{
      database,
      healthDatabase: healthDatabase,
      documents,
      changes,
      verifier,
      audit,
      log,
      counters,
      observers: observability.observers,
    },
    ...{ limits: config.rateLimits, trustProxy, corsOrigins, serverTiming },
    demonstrationUsers:
      provider !== undefined && isDemonstrationConfig(config) ? createDemonstrationUsers(provider) : [],
    login: clientId === undefined ? undefined : { issuer, audience, clientId, scope, discovery },
  });
  const server = createHttpServer(app, { corsOrigins, onRefused: observability.onRefused });
  register('the server', 5_000, server);
  register('the streams of changes', 0, changes);
  const { host } = config;
  const port = await awaitListening(server.listen(config.port, host), `PORT ${config.port} of HOST ${host}`);

  if (observability.registry !== undefined) {
    const figureSources = {
      database: createDatabaseFigureReaders(openPool('metrics', SINGLE_CONNECTION_POOL), retentionMonths),
      dataDir,
    };
    observability.collectFromParts({
      ...figureSources,
      audit,
      spool,
      verifier,
      documents,
      counters,
      clocks,
      streams: changes,
      housekeeping,
    });
    const metricsServer = register('the metrics', 0, createMetricsServer(observability.registry));
    const { metricsPort = 0 } = config;
    await awaitListening(metricsServer.listen(metricsPort, host), `METRICS_PORT ${metricsPort} of HOST ${host}`);
  }
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { url, embedded: { database: embeddedPostgres, provider, mails: openedMailer.folder } };
}

/** With an external Postgres, an instance without a mail server leaves the mails to other instances. */
async function openMailer({ mails, dataDir }: Config, isEmbedded: boolean) {
  if (mails.smtpUrl === undefined && !isEmbedded) return {};
  const { createFileMailer, createSmtpMailer } = await import('./outbox/mailer.ts');
  if (mails.smtpUrl !== undefined) return { send: createSmtpMailer(mails.smtpUrl, mails.from) };
  const folder = join(dataDir, 'mails');
  return { folder, send: await createFileMailer(folder, mails.from) };
}

async function checkBeforeStart(config: Config): Promise<void> {
  const dataFolder = await openDataDir(config.dataDir);
  (await createContentStore(config.documents)).close();
  if (config.database.url !== undefined) return;
  (await import('./embedded/postgres/server.ts')).assertDataDirUnused(dataFolder);
  await awaitListening(listenBriefly(config.port, config.host), `PORT ${config.port} of HOST ${config.host}`);
}

async function awaitListening(port: Promise<number>, where: string): Promise<number> {
  return port.catch((error: unknown) => {
    const listenErrorReason = readSystemErrorCode(error) ?? String(error);
    throw new Error(`${where} cannot be listened on: ${listenErrorReason}`, { cause: error });
  });
}
