import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import express from 'express';
import type { Express } from 'express';
import { pino } from 'pino';
import type { Logger } from 'pino';
import { createApp } from '../../src/app.ts';
import type { AppOptions } from '../../src/app.ts';
import { createCounters } from '../../src/counters/counters.ts';
import type { CircuitBreaker } from '../../src/counters/circuit.ts';
import { watchChanges } from '../../src/db/changes.ts';
import { watchClocks } from '../../src/db/clocks.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { primaryLogger, trackPrimary } from '../../src/db/primary.ts';
import type { StreamLimits } from '../../src/db/row-stream.ts';
import { createAuditWriter } from '../../src/db/refusals/audit-writer.ts';
import { openSpool } from '../../src/db/refusals/spool.ts';
import { openDocuments } from '../../src/documents/documents.ts';
import type { Documents, DocumentsOptions } from '../../src/documents/documents.ts';
import { ERRORS_BY_CODE } from '../../src/errors.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { authenticate } from '../../src/http/access.ts';
import { createChangeStreams } from '../../src/http/change-streams.ts';
import type { ChangeStreamsOptions } from '../../src/http/change-streams.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { createErrorHandler } from '../../src/http/errors.ts';
import { mountEndpoints, mountUnmatchedHandlers } from '../../src/http/mount.ts';
import { createRequestState } from '../../src/http/request-state.ts';
import { createHttpServer } from '../../src/http/server.ts';
import type { Role } from '../../src/identity/caller.ts';
import { createDatabaseFigureReaders } from '../../src/db/housekeeping.ts';
import { createMetricsServer } from '../../src/metrics/server.ts';
import type { MetricsServerOptions } from '../../src/metrics/server.ts';
import { openObservability } from '../../src/observability.ts';
import { createProviderClock } from '../../src/identity/provider-clock.ts';
import { createTokenVerifier } from '../../src/identity/token-verifier.ts';
import { createTestDatabase, isPooled } from './database.ts';
import type { TestDatabase } from './database.ts';
import { expectDescribed } from './described.ts';
import { ask } from './http.ts';
import type { Answer, Question } from './http.ts';
import { startTestIdentity } from './identity.ts';
import type { TestIdentity } from './identity.ts';
import { createScratchFolder } from './scratch.ts';
import { furnitureSql, newTenant, tenantSql } from './tenant.ts';
import type { Tenant as FurnishedTenant } from './tenant.ts';
import type { Admin } from './world.ts';
import { adminOf } from './world.ts';

export type Tenant = Pick<FurnishedTenant, 'clients' | 'sites' | 'reclamations'>;

/** The values of the clock metrics of a service that does not compare its clock with other clocks. */
const UNKNOWN = { provider: undefined, service: undefined };

/** The whole service for tests, with an HTTP port, a new database and an identity provider. */
export interface Service {
  readonly port: number;
  /** The port of the service’s metrics, if started with the option `metrics`. */
  readonly metricsPort: number;
  readonly identity: TestIdentity;
  readonly postgres: TestDatabase;
  readonly database: Database;
  readonly documents: Documents;
  /** The folder with the contents of documents, unless the option `documents` names another store. */
  readonly documentFolder: string;
  readonly dataDir: string;
  /** The number of database transactions that the service has run with the rights of a caller. */
  readonly runs: number;
  /** Sends a request to the service, and compares the response with the OpenAPI document. */
  ask(line: string, question?: Question): Promise<Answer>;
  token(role: Role, clientAccess?: readonly string[], claims?: Record<string, unknown>): Promise<string>;
  /** Stores a client with a site and a claim, and returns their ids. */
  tenant(name: string): Promise<Tenant>;
  /** Stores a client with a record in each table of tenants, and returns the ids of the records. */
  furnishedTenant(name: string): Promise<FurnishedTenant>;
  /** Runs an SQL statement as the superuser. The values in the template are the statement’s parameters. */
  sql(text: TemplateStringsArray, ...values: unknown[]): Promise<Record<string, unknown>[]>;
  readonly admin: Admin;
  close(): Promise<void>;
}

export interface Options
  extends Partial<
    Pick<
      AppOptions,
      | 'serverTiming'
      | 'probes'
      | 'limits'
      | 'trustProxy'
      | 'publicPath'
      | 'corsOrigins'
      | 'demonstrationUsers'
      | 'login'
    >
  > {
  /**
   * Counters of requests that several instances of the service share. The service uses them before the counters in its
   * own memory.
   */
  readonly countedIn?: CircuitBreaker;
  /** Replaces the database address to which the test’s service connects, for example by that of a proxy. */
  readonly databaseUrl?: (apiUrl: string) => string;
  /** The number of database connections with which the test’s service runs requests; by default 4. */
  readonly poolSize?: number;
  readonly statementTimeoutMs?: number;
  /** A database that the test keeps after the service’s end, instead of a new database for the service alone. */
  readonly postgres?: TestDatabase;
  /** Limits of lists that the test’s service streams completely, because tests cannot wait as long as production. */
  readonly streams?: Partial<StreamLimits>;
  /** Limits of the test service’s change streams, because tests cannot wait as long as production. */
  readonly changeStreams?: ChangeStreamsOptions['limits'] & { readonly lookMs?: number };
  /** The endpoints that the test’s service has instead of all usual endpoints. */
  readonly endpoints?: readonly Endpoint[];
  readonly log?: Logger;
  /**
   * The identity provider whose tokens the test’s service accepts, instead of the test’s own provider in `identity`.
   */
  readonly provider?: Pick<TestIdentity, 'issuer' | 'audience' | 'jwksUrl'>;
  /**
   * Makes the test’s service compare its clock with those of the database and the identity provider once at its start.
   * The service’s clock is `aheadMs` milliseconds ahead of the machine’s.
   */
  readonly clocks?: { readonly aheadMs: number };
  /** Makes the test’s service serve metrics with the given options. */
  readonly metrics?: MetricsServerOptions;
  /** Makes the test’s service send traces to the collector that the given environment names. */
  readonly traces?: { readonly ratio: number };
  readonly documents?: Partial<
    Pick<DocumentsOptions, 'store' | 'endpoint' | 's3Access' | 'timeouts' | 'maxBytes' | 'presignedDownloads'>
  >;
}

export async function startService(options: Options = {}): Promise<Service> {
  const log = options.log ?? pino({ level: 'silent' });
  const postgres = options.postgres ?? (await createTestDatabase());
  const identity = await startTestIdentity();
  const observability = await openObservability({ metricsPort: options.metrics && 0, traces: options.traces }, log);
  const pool = (poolSize: number, statementTimeoutMs: number) => ({
    ...{ poolSize, statementTimeoutMs, preparedStatements: !isPooled(), streams: options.streams ?? {} },
  });
  const pools: Record<string, Database> = {};
  const url = options.databaseUrl?.(postgres.apiUrl) ?? postgres.apiUrl;
  const primary = trackPrimary(url, primaryLogger(log));
  const open = (name: string, ...settings: Parameters<typeof pool>): Database => {
    const opened = openDatabase({
      ...{ url, log, primary, onWaited: observability.poolWaited?.(name) },
      ...pool(...settings),
    });
    pools[name] = opened;
    return opened;
  };
  const { database, counts } = counting(open('requests', options.poolSize ?? 4, options.statementTimeoutMs ?? 10_000));
  // The statement time-out of the test’s service is so long that only the health check itself can end its wait for the
  // database.
  const [probed, lane] = [open('health', 1, 120_000), open('refusals', 1, 2_000)];
  const asked = open('metrics', 1, 2_000);
  const dataDir = await createScratchFolder();
  const spool = await openSpool(dataDir);
  const audit = createAuditWriter(lane, spool, log);
  const documentFolder = join(dataDir, 'documents');
  const documents = await openDocuments({
    ...{ store: { kind: 'folder', path: documentFolder }, endpoint: undefined, maxBytes: 25 * 1024 * 1024 },
    ...options.documents,
    ...{ dataDir, database, log },
  });
  const { issuer, audience, jwksUrl } = options.provider ?? identity;
  const now = (): number => Date.now() + (options.clocks?.aheadMs ?? 0);
  const clock = createProviderClock({ findUrl: () => Promise.resolve(jwksUrl), now });
  const clocks = options.clocks && watchClocks(clock, database, log, now);
  const verifier = createTokenVerifier({
    ...{ issuer, audience, jwksUrl, log, now, onFetched: observability.onFetched },
    ...(clocks && { providerNow: clock.now, onIssued: clocks.onTokenIssued }),
    roleClaim: 'role',
    clientAccessClaim: 'client_access',
  });
  const { lookMs, ...changeLimits } = options.changeStreams ?? {};
  const looks = open('changes', 1, 2_000);
  const watch = watchChanges(looks, log, lookMs);
  const changes = createChangeStreams({ watch, verifier, limits: changeLimits });
  const parts = {
    ...{ database, documents, changes, verifier, audit, log },
    healthDatabase: probed,
    counters: createCounters(options.countedIn),
    limits: options.limits ?? { perUser: 100_000, perIp: 100_000 },
    trustProxy: options.trustProxy ?? 0,
    publicPath: options.publicPath ?? '',
    corsOrigins: options.corsOrigins ?? [],
    demonstrationUsers: options.demonstrationUsers ?? [],
    login: options.login,
    observers: observability.observers,
    serverTiming: options.serverTiming ?? false,
    ...(options.probes && { probes: options.probes }),
  };
  const { endpoints } = options;
  const server = createHttpServer(endpoints === undefined ? createApp(parts) : serving(endpoints, parts), {
    corsOrigins: parts.corsOrigins,
    onRefused: observability.onRefused,
  });
  const port = await server.listen(0, '127.0.0.1');
  observability.collectFromParts({
    ...{ pools, audit, spool, verifier, documents, streams: changes, counters: parts.counters, dataDir },
    ...{
      database: createDatabaseFigureReaders(asked, 60),
      clocks: clocks ?? { figures: () => UNKNOWN },
      housekeeping: {},
    },
  });
  const metrics = observability.registry && createMetricsServer(observability.registry, options.metrics);
  await clocks?.runNow();
  const metricsPort = (await metrics?.listen(0, '127.0.0.1')) ?? 0;

  const admin = adminOf(postgres.adminUrl);

  return {
    ...{ port, metricsPort, identity, postgres, database, documents, documentFolder, dataDir, admin },
    sql: (text, ...values) =>
      admin(
        text.reduce((all, part, n) => `${all}$${n}${part}`),
        values,
      ),
    get runs() {
      return counts.runs;
    },
    ask: async (line, question) => {
      const answer = await ask(port, line, question);
      if (endpoints === undefined) expectDescribed(line, answer);
      return answer;
    },
    token: (role, clientAccess = [], claims = {}) =>
      identity.token({ sub: `idp|${role}`, role, client_access: clientAccess, ...claims }),
    tenant: async (name) => {
      const tenant = newTenant();
      await admin(tenantSql(tenant, name));
      return tenant;
    },
    furnishedTenant: async (name) => {
      const tenant = newTenant();
      await admin(tenantSql(tenant, name) + furnitureSql(tenant));
      await writeFile(join(documentFolder, tenant.documents), 'Avis');
      return tenant;
    },
    close: async () => {
      await metrics?.close();
      await clocks?.close();
      await changes.close();
      await server.close();
      await watch.close();
      await documents.close();
      await audit.close();
      for (const one of [asked, lane, probed, looks, database]) await one.close();
      await spool.close();
      await observability.close(1_000);
      await rm(dataDir, { recursive: true });
      await identity.stop();
      if (options.postgres === undefined) await postgres.close();
    },
  };
}

function serving(
  endpoints: readonly Endpoint[],
  { database, documents, changes, verifier, audit, publicPath = '' }: AppOptions,
): Express {
  const app = express();
  app.use(createRequestState, authenticate(verifier));
  mountEndpoints(app, endpoints, { database, documents, changes, publicPath });
  mountUnmatchedHandlers(app, endpoints);
  app.use(createErrorHandler(audit));
  return app;
}

/** Returns the database with a counter of the transactions that it runs. */
function counting(database: Database): { database: Database; counts: { runs: number } } {
  const counts = { runs: 0 };
  return {
    counts,
    database: {
      ...database,
      run: (context, statements) => {
        counts.runs += 1;
        return database.run(context, statements);
      },
      transaction: (context, work, limits) => {
        counts.runs += 1;
        return database.transaction(context, work, limits);
      },
      stream: (context, statement) => {
        counts.runs += 1;
        return database.stream(context, statement);
      },
    },
  };
}

/**
 * Expects a response with the given error code and only the fields that every error has. `said` is the expected
 * details.
 */
export function expectError(answer: Answer, code: ErrorCode, ...said: readonly unknown[]): void {
  expect([answer.status, answer.json]).toEqual([
    ERRORS_BY_CODE[code].status,
    {
      error: {
        code,
        message: ERRORS_BY_CODE[code].en,
        ...(details(answer) === undefined ? {} : { details: expect.anything(), problems: expect.any(Array) }),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        requestId: answer.headers['x-request-id'],
      },
    },
  ]);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-language': 'en',
    'cache-control': 'no-store',
  });
  for (const one of said) expect(details(answer)).toEqual(one);
  const sentences = Object.entries((details(answer) ?? {}) as Record<string, string>).flatMap(([name, sentence]) =>
    name === 'existing_id' ? [] : [sentence],
  );
  const messages = problemsOf(answer).map(({ message }) => message);
  expect(messages.sort()).toEqual(sentences.sort());
}

/** Expects a response with status 400 whose details name exactly the given fields. */
export function expectInvalid(answer: Answer, fields: readonly (string | undefined)[]): void {
  expectError(answer, 'ERROR_VALIDATION');
  expect(Object.keys(details(answer) as object)).toEqual(fields);
}

interface Problem {
  readonly line?: number;
  readonly index?: number;
  readonly field: string;
  readonly code: string;
  readonly params: object;
  readonly message: string;
}

/** The `problems` of an error response, which programs read. */
export function problemsOf(answer: Answer): readonly Problem[] {
  return (answer.json as { error: { problems?: readonly Problem[] } }).error.problems ?? [];
}

/** The `details` of an error response, which have a sentence for each field. */
export function details(answer: Answer): unknown {
  return (answer.json as { error: { details?: unknown } }).error.details;
}

/**
 * Expects a response with status 401 or 403 and exactly one audit record with the given values, and returns that
 * record.
 */
export async function expectRefusal(
  service: Service,
  answer: Answer,
  code: 'ERROR_UNAUTHORIZED' | 'ERROR_FORBIDDEN',
  said: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  expectError(answer, code);
  const records = await service.sql`select * from public.audit_logs
    where request_id = ${answer.headers['x-request-id']}`;
  expect(records).toEqual([expect.objectContaining({ success: false, error_message: expect.any(String) })]);
  expect(records[0]).toMatchObject(said);
  return records[0] ?? {};
}
