import express from 'express';
import type { ErrorRequestHandler, Express } from 'express';
import { strictTransportSecurity } from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Counters } from '../counters/counters.ts';
import { sendError } from './envelope.ts';
import { toRequestError } from './errors.ts';
import { limitBeginnings, limitByAddress } from './limits.ts';
import { logRequests } from './request-log.ts';
import { openRequest, stateOf } from './request-state.ts';
import type { RequestState } from './request-state.ts';

export interface IdentityAppOptions {
  readonly log: Logger;
  /** How many proxies in front to believe. */
  readonly trustProxy: number;
  /** Requests a minute from one address. */
  readonly perIp: number;
  /** Where requests of anybody leave something in the database: each tenth may lead there. */
  readonly beginnings: readonly string[];
  /** Whether others reach it over TLS, through a proxy. */
  readonly isSecure: boolean;
  /** Where they are counted. */
  readonly counters: Counters;
  readonly answer: (request: IncomingMessage, response: ServerResponse, state: RequestState) => Promise<void>;
}

/** What happens to a request to the embedded identity provider: as to one to the API, but that it has pages of its own. */
export function createIdentityApp({
  log,
  trustProxy,
  perIp,
  counters,
  beginnings,
  isSecure,
  answer,
}: IdentityAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', trustProxy);
  app.set('query parser', false);
  app.use(openRequest);
  app.use(logRequests(log));
  if (isSecure) app.use(strictTransportSecurity());
  app.use(limitByAddress(perIp, counters, 'identity'));
  app.all([...beginnings], limitBeginnings(Math.ceil(perIp / 10), counters));
  app.use((request, response) => answer(request, response, stateOf(request)));
  app.use(answerFailures);
  return app;
}

const answerFailures: ErrorRequestHandler = (thrown: unknown, request, response, next) => {
  const state = stateOf(request);
  const error = toRequestError(thrown, request.method);
  state.error = error;
  if (!response.headersSent) sendError(response, error, state.requestId);
  else if (!response.destroyed) next(thrown);
};
