import express from 'express';
import type { Express } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { Counters } from './counters/counters.ts';
import type { Database } from './db/database.ts';
import type { AuditWriter } from './db/refusals/audit-writer.ts';
import type { Documents } from './documents/documents.ts';
import { authenticate } from './http/access.ts';
import { compress } from './http/compress.ts';
import { cors } from './http/cors.ts';
import { contentSecurityPolicy, mountDocs } from './http/docs.ts';
import type { DocsLogin, Person } from './http/docs.ts';
import type { PublicEndpoint } from './http/endpoint.ts';
import { answerErrors } from './http/errors.ts';
import { parametersOf } from './http/input.ts';
import { limitByAddress, limitByUser } from './http/limits.ts';
import { mount, mountPublic, mountRefusals } from './http/mount.ts';
import { logRequests } from './http/request-log.ts';
import { observeRequests } from './http/observe.ts';
import { openRequest } from './http/request-state.ts';
import { routesOf } from './http/routes.ts';
import { tellTimes } from './http/server-timing.ts';
import type { TokenVerifier } from './identity/token-verifier.ts';
import type { RequestObserver } from './observed.ts';
import { allEndpoints, endpoints, probes as usualProbes, publicEndpoints } from './resources/index.ts';

export interface AppOptions {
  readonly database: Database;
  /** The same database on a connection that no request ever has: a probe waits for none. */
  readonly probed: Database;
  readonly documents: Documents;
  readonly verifier: TokenVerifier;
  readonly audit: AuditWriter;
  /** Requests a minute. */
  readonly limits: { readonly perUser: number; readonly perIp: number };
  /** Where they are counted. */
  readonly counters: Counters;
  /** How many proxies in front to believe. */
  readonly trustProxy: number;
  readonly corsOrigins: readonly string[];
  /** Whom the page of /docs lets one be with a click; nobody, unless all of it is a demonstration. */
  readonly people: readonly Person[];
  /** Where the page of /docs lets somebody log in; undefined where a token has to be pasted. */
  readonly login: DocsLogin | undefined;
  /** Who counts and times requests. */
  readonly observers?: readonly RequestObserver[];
  /** Whether answers say what took how long. */
  readonly serverTiming?: boolean;
  /** Where they are not the usual ones. */
  readonly probes?: readonly PublicEndpoint[];
  readonly log: Logger;
}

/** What happens to a request, in this order. */
export function createApp({
  database,
  probed,
  documents,
  verifier,
  audit,
  limits,
  counters,
  trustProxy,
  corsOrigins,
  people,
  login,
  observers = [],
  serverTiming = false,
  probes = usualProbes,
  log,
}: AppOptions): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', trustProxy);
  app.set('query parser', parametersOf);

  app.use(openRequest);
  if (observers.length > 0) app.use(observeRequests(observers, routesOf(allEndpoints)));
  if (serverTiming) app.use(tellTimes);
  app.use(logRequests(log));
  app.use(helmet({ contentSecurityPolicy: false }), contentSecurityPolicy());
  app.use(cors(corsOrigins));
  // Before the limits: a health check shares the address of a load balancer, and so of everybody.
  mountPublic(app, probes, { database: probed, documents, verifier });
  app.use(limitByAddress(limits.perIp, counters));
  app.use(compress());
  mountDocs(app, people, login);
  mountPublic(app, publicEndpoints, { database, documents, verifier });
  app.use(authenticate(verifier));
  app.use(limitByUser(limits.perUser, counters));
  mount(app, endpoints, { database, documents });
  mountRefusals(app, [...probes, ...publicEndpoints, ...endpoints]);
  app.use(answerErrors(audit));
  return app;
}
