import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import type { Counters } from './counters/counters.ts';
import { watchClocks } from './db/clocks.ts';
import { type Database, openDatabase } from './db/database.ts';
import { databaseFiguresOf } from './db/database-figures.ts';
import { forgetExpiredAnswers } from './db/expired-answers.ts';
import { tendAuditLog } from './db/housekeeping.ts';
import { identityChangesOf } from './db/identity-changes.ts';
import { tellObjections } from './db/objections.ts';
import { sharedPrimaries, tellingPrimary } from './db/primary.ts';
import { createAuditWriter } from './db/refusals/audit-writer.ts';
import type { Spool } from './db/refusals/spool.ts';
import { openReplicas } from './db/replicas/open.ts';
import type { Replicas } from './db/replicas/replicas.ts';
import { type Documents, openDocuments } from './documents/documents.ts';
import { openDataDir } from './embedded/data-dir.ts';
import { placeDemonstration } from './embedded/demonstration.ts';
import { isDemonstration, peopleOf } from './embedded/people.ts';
import { probe } from './embedded/postgres/free-port.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded/postgres/prepare.ts';
import { assertUnused } from './embedded/postgres/server.ts';
import type { EmbeddedProvider } from './embedded/provider/start.ts';
import { openTokenSigner } from './embedded/provider/signer.ts';
import type { Ending } from './endings.ts';
import { createHttpServer } from './http/server.ts';
import { docsLogin, embeddedProvider } from './identity-parts.ts';
import { openManagement } from './identity/management/client.ts';
import { createProviderClock } from './identity/provider-clock.ts';
import { createTokenVerifier } from './identity/token-verifier.ts';
import { DELIVERY_IDLE_MS, LANE_MS, LOOKING_MS } from './limits.ts';
import { createMetricsServer, type MetricsSource } from './metrics/server.ts';
import type { Sources } from './metrics/sources.ts';
import { deliverIdentityChanges } from './outbox/worker.ts';
import { descriptionOf } from './resources/description.ts';
import { allEndpoints } from './resources/index.ts';
import type { Seen } from './seen.ts';
import { codeOf } from './system-error.ts';

/* The parts of the service: what there is once, and what there is in each process that serves. */

/** A connection that no request has, for what must not wait for requests; what is slow there is not worth waiting for. */
export const LANE = { poolSize: 1, statementTimeoutMs: LANE_MS } as const;

/** What is different of a connection that is not the requests'. */
interface Lane {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly notesWrites: boolean;
}

export type OpenDatabase = (name: string, lane?: Partial<Lane>) => Database;

/** Opens what ends with the other parts; the name is what it is for, also in the figures. */
export function opening(
  { database: settings }: Config,
  log: Logger,
  endings: Ending[],
  { apiUrl, seen }: { readonly apiUrl: string | undefined; readonly seen: Seen },
): OpenDatabase {
  const primaryOf = sharedPrimaries(tellingPrimary(log));
  return (name, lane = {}) => {
    const url = lane.url ?? settings.url ?? apiUrl ?? '';
    const primary = primaryOf(url);
    const opened = openDatabase({ ...settings, log, primary, onWaited: seen.waited?.(name), ...lane, url });
    seen.lanes[name] = opened;
    endings.push({ part: `the lane of ${name}`, atLeastMs: 200, end: (withinMs) => opened.close(withinMs) });
    return opened;
  };
}

/** For requests: the database, with replicas to read from where there are any. */
export function openRequests(
  { database: settings }: Config,
  log: Logger,
  endings: Ending[],
  open: OpenDatabase,
): { readonly database: Database; readonly replicas: Replicas | undefined } {
  const { replicaUrls: urls } = settings;
  const primary = open('requests', { notesWrites: urls.length > 0 });
  if (urls.length === 0) return { database: primary, replicas: undefined };
  const replicas = openReplicas({ primary, lane: open('replicas', LANE), urls, pool: settings, log });
  endings.push({ part: 'the replicas', atLeastMs: 200, end: (withinMs) => replicas.close(withinMs) });
  return { database: replicas.database, replicas };
}

/** The embedded parts, where the configuration names no others. */
export interface Foundation {
  readonly database: EmbeddedDatabase | undefined;
  readonly provider: EmbeddedProvider | undefined;
}

export async function startFoundation(
  config: Config,
  log: Logger,
  endings: Ending[],
  { counters, ending }: { readonly counters: Counters; readonly ending?: AbortSignal | undefined },
): Promise<Foundation> {
  const provider = await embeddedProvider(config, log, endings, counters);
  const database = await embeddedDatabase(config, log, endings, ending);
  return { database, provider };
}

/** What a process that serves must know of the embedded parts, as plain values: they may run in another process. */
export interface Ground {
  readonly apiUrl: string | undefined;
  /** Where the contents of the demonstration belong. */
  readonly demonstration: readonly string[];
  readonly provider:
    | {
        readonly issuer: string;
        readonly audience: string;
        readonly jwksUrl: string;
        /** Where it listens. */
        readonly url: string;
      }
    | undefined;
}

export function groundOf({ database, provider }: Foundation): Ground {
  return {
    apiUrl: database?.apiUrl,
    demonstration: database?.demonstration ?? [],
    provider: provider && {
      issuer: provider.issuer,
      audience: provider.audience,
      jwksUrl: provider.jwksUrl,
      url: provider.url,
    },
  };
}

/** What is done once, however many processes serve: logins, deliveries, and the removal of what is over. */
export function keepHouse(
  { identity }: Config,
  log: Logger,
  endings: Ending[],
  {
    foundation,
    open,
    database,
  }: { readonly foundation: Foundation; readonly open: OpenDatabase; readonly database: Database },
): Pick<Sources, 'housekeeping'> {
  const { provider, database: embedded } = foundation;
  const identityUrl = embedded?.identityUrl ?? identity.embedded.databaseUrl;
  const own =
    identityUrl === undefined
      ? undefined
      : provider?.serve(open('identity_provider', { url: identityUrl, poolSize: 4 }));
  if (provider !== undefined && own === undefined)
    log.info('nobody can log in at the embedded identity provider: IDENTITY_DATABASE_URL is not set');
  // Not waited for: an outage at the start is one like any other.
  const told = tellObjections(database, log);
  endings.push({
    ...{ part: 'the look at the database', atLeastMs: 0 },
    // It would warn that its pool is closed; a database that is away is not waited for.
    end: () => Promise.race([told, delay(LOOKING_MS, undefined, { ref: false })]),
  });
  const forgetting = forgetExpiredAnswers({ database, log });
  endings.push({ part: 'the kept answers', atLeastMs: 0, end: () => forgetting.close() });
  const tending = tendAuditLog(database, log);
  endings.push({ part: 'the months of the audit log', atLeastMs: 0, end: () => tending.close() });
  const changes = identityChangesOf(database);
  // An instance that is not told where to send changes leaves them to those that are.
  const managed = identity.management ?? own;
  if (managed !== undefined) {
    const management = openManagement(managed);
    const worker = deliverIdentityChanges({ changes, management, log, idleMs: DELIVERY_IDLE_MS });
    const part = 'the delivery to the identity provider';
    endings.push({ part, atLeastMs: 1_500, end: (withinMs) => worker.close(withinMs) });
  }
  return { housekeeping: { kept_answers: forgetting, audit_log_months: tending } };
}

/** What serves requests, and how it is; `url` is its address. */
export interface Serving
  extends Pick<Sources, 'audit' | 'spool' | 'verifier' | 'documents' | 'counters' | 'clocks'> {
  readonly url: string;
}

/** Answers requests from now on. */
export async function serveApi(
  config: Config,
  log: Logger,
  endings: Ending[],
  {
    ground,
    open,
    database,
    spool,
    counters,
    seen,
  }: {
    readonly ground: Ground;
    readonly open: OpenDatabase;
    readonly database: Database;
    readonly spool: Spool;
    readonly counters: Counters;
    readonly seen: Seen;
  },
): Promise<Serving> {
  const { identity, dataDir } = config;
  const probed = open('health', LANE);
  const audit = createAuditWriter({ database: open('refusals', LANE), spool, log });
  endings.push({ part: 'the refusals', atLeastMs: 1_000, end: () => audit.close() });
  const documents = await contents(config, database, ground.demonstration, log);
  endings.push({ part: 'the documents', atLeastMs: 500, end: (withinMs) => documents.close(withinMs) });
  const { issuer, audience, jwksUrl } = required(identity.provider ?? ground.provider);
  const { roleClaim, clientAccessClaim, emailsVerified } = identity;
  const clock = createProviderClock({ url: jwksUrl });
  const clocks = watchClocks({ clock, database, log });
  endings.push({ part: 'the clocks', atLeastMs: 0, end: () => clocks.close() });
  const verifier = createTokenVerifier({
    ...{ issuer, audience, jwksUrl, log },
    ...{ roleClaim, clientAccessClaim, emailsVerified },
    ...{ providerNow: clock.now, onIssued: clocks.issued, onFetched: seen.onFetched },
  });
  const { rateLimits: limits, trustProxy, corsOrigins } = config;
  const claimNames = { role: roleClaim, clientAccess: clientAccessClaim };
  const people = isDemonstration(config)
    ? peopleOf(await openTokenSigner({ dataDir, issuer, claimNames }))
    : [];
  const server = createHttpServer(
    createApp({
      ...{ database, probed, documents, verifier, audit, log, counters },
      ...{ limits, trustProxy, corsOrigins, people, login: docsLogin(identity, ground.provider, log) },
      ...{ observers: seen.observers, serverTiming: config.serverTiming },
    }),
    { corsOrigins, onRefused: seen.onRefused },
  );
  endings.push({ part: 'the server', atLeastMs: 5_000, end: (withinMs) => server.close(withinMs) });
  descriptionOf(allEndpoints);
  const port = await listening(server.listen(config.port, config.host), config);
  return {
    url: `http://${bracketed(config.host)}:${String(port)}`,
    ...{ audit, spool, verifier, documents, counters, clocks },
  };
}

/** Gives the figures of the parts that are in this process, and of those that `source` adds, where they are asked for. */
export async function serveMetrics(
  config: Config,
  endings: Ending[],
  {
    seen,
    open,
    parts,
    source,
  }: {
    readonly seen: Seen;
    readonly open: OpenDatabase;
    readonly parts: Partial<Sources>;
    readonly source: (own: Registry) => MetricsSource;
  },
): Promise<void> {
  if (config.metricsPort === undefined || seen.registry === undefined) return;
  const { dataDir } = config;
  seen.ask({ ...parts, dataDir, database: databaseFiguresOf(open('metrics', LANE)) });
  const metrics = createMetricsServer(source(seen.registry));
  endings.push({ part: 'the metrics', atLeastMs: 0, end: () => metrics.close() });
  await listening(metrics.listen(config.metricsPort, config.host), config, 'METRICS_PORT');
}

/** Nothing is made for a start that cannot succeed. */
export async function checkBeforehand(config: Config): Promise<void> {
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
  config: Config,
  database: Database,
  demonstration: readonly string[],
  log: Logger,
): Promise<Documents> {
  const documents = await openDocuments({
    ...{ store: config.documentStore, endpoint: config.documentStoreEndpoint, dataDir: config.dataDir },
    ...{ maxBytes: config.documentMaxBytes, presignedDownloads: config.documentPresignedDownloads },
    ...{ database, log },
  });
  await placeDemonstration(demonstration, documents, log);
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
