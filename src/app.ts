import express from 'express';
import type { Express } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { RequestCounters } from './counters/counters.ts';
import type { Database } from './db/database.ts';
import type { AuditWriter } from './db/refusals/audit-writer.ts';
import type { Documents } from './documents/documents.ts';
import { authenticate } from './http/access.ts';
import type { ChangeStreams } from './http/change-streams.ts';
import { createCompressionHandler } from './http/compress.ts';
import { createCorsHandler } from './http/cors.ts';
import { createLinkedCallerLookup } from './http/document-link.ts';
import { contentSecurityPolicy, mountDocs, type DocsLogin, type DemonstrationUser } from './http/docs.ts';
import type { PublicEndpoint } from './http/endpoint.ts';
import { createErrorHandler } from './http/errors.ts';
import { parseQuery } from './http/input.ts';
import { createIpAddressLimiters, createCalendarLimiter, createUserLimiter } from './http/limits.ts';
import { mountEndpoints, mountPublicEndpoints, mountUnmatchedHandlers } from './http/mount.ts';
import { addServerTiming, logRequests, observeRequests } from './http/observe.ts';
import { createRequestState } from './http/request-state.ts';
import { createRouteFinder } from './http/routes.ts';
import type { TokenVerifier } from './identity/token-verifier.ts';
import { CALENDAR_READS_PER_MINUTE } from './limits.ts';
import type { RequestObserver } from './observed.ts';
import {
  allEndpoints,
  authenticatedEndpoints,
  healthProbes as usualProbes,
  publicEndpoints,
} from './resources/index.ts';

export interface AppOptions {
  readonly database: Database;
  /** Health probes use their own connection pool, so that a probe never waits for a connection that requests use. */
  readonly healthDatabase: Database;
  readonly documents: Documents;
  readonly changes: ChangeStreams;
  readonly verifier: TokenVerifier;
  readonly audit: AuditWriter;
  readonly limits: { readonly perUser: number; readonly perIp: number };
  readonly counters: RequestCounters;
  readonly trustProxy: number;
  /** Where a proxy offers the service, such as `/tax`: docs/decisions/proxies.md */
  readonly publicPath?: string;
  readonly corsOrigins: readonly string[];
  /** The example users whose tokens /docs offers; an empty list if the service does not run as a demonstration. */
  readonly demonstrationUsers: readonly DemonstrationUser[];
  /** The identity provider for the login on /docs; undefined if users of /docs must paste a token. */
  readonly login: DocsLogin | undefined;
  readonly observers?: readonly RequestObserver[];
  readonly serverTiming?: boolean;
  readonly probes?: readonly PublicEndpoint[];
  readonly log: Logger;
}

export function createApp(options: AppOptions): Express {
  const { verifier, counters, observers = [], probes = usualProbes } = options;
  const { database, documents, changes, publicPath = '' } = options;
  const services = { database, documents, changes, publicPath };
  const limitUser = createUserLimiter(options.limits.perUser, counters);
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.set('trust proxy', options.trustProxy);
  app.set('query parser', parseQuery);

  app.use(createRequestState);
  if (observers.length > 0) app.use(observeRequests(observers, createRouteFinder(allEndpoints)));
  if (options.serverTiming) app.use(addServerTiming);
  app.use(logRequests(options.log));
  app.use(helmet({ contentSecurityPolicy: false }), contentSecurityPolicy());
  app.use(createCorsHandler(options.corsOrigins));
  // Health probes are mounted before the rate limits, because probes and callers may share the load balancer's address.
  mountPublicEndpoints(app, probes, { ...services, database: options.healthDatabase, verifier, limitUser });
  app.use(createIpAddressLimiters(options.limits.perIp, counters));
  app.use(createCompressionHandler());
  mountDocs(app, options.demonstrationUsers, options.login);
  app.use('/calendar', createCalendarLimiter(CALENDAR_READS_PER_MINUTE, counters));
  mountPublicEndpoints(app, publicEndpoints, { ...services, verifier, limitUser });
  app.use(authenticate(verifier, createLinkedCallerLookup(database, options.corsOrigins)));
  app.use(limitUser);
  mountEndpoints(app, authenticatedEndpoints, services);
  mountUnmatchedHandlers(app, [...probes, ...publicEndpoints, ...authenticatedEndpoints]);
  app.use(createErrorHandler(options.audit));
  return app;
}
