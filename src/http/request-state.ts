import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import type { RequestContext } from '../db/request-settings.ts';
import type { RequestError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { truncate } from '../log.ts';
import type { RequestTimeline } from '../observed.ts';
import { LOGGED_ADDRESS_CHARACTERS, LOGGED_TEXT_CHARACTERS } from '../limits.ts';

/** What the service knows about one request: checks set the values; database, log and audit record use them. */
export interface RequestState extends Omit<RequestContext, 'caller'> {
  /**
   * Method and path, without the query and without the secret of a calendar. A path that is too long for the log is
   * cut.
   */
  action: string;
  caller?: Caller;
  resource?: string;
  resourceId?: string | undefined;
  client?: string | undefined;
  error?: RequestError;
  /** True if the caller sent the secret of a document's address instead of a token. */
  isLinked?: true;
  /** Reports the begin of an event stream to metrics and traces; undefined if metrics and traces are off. */
  beginStream?: () => void;
  isStream?: true;
  /** Present if metrics, traces or Server-Timing are on. The service began to check the token at `checkBegunMs`. */
  timeline?: RequestTimeline | undefined;
  checkBegunMs?: number | undefined;
}

export type AdmittedRequestState = RequestState & RequestContext;

const statesByRequest = new WeakMap<IncomingMessage, RequestState>();

/** @throws Error for a request that has not passed `createRequestState` */
export function readRequestState(request: IncomingMessage): RequestState {
  const state = statesByRequest.get(request);
  if (state === undefined) throw new Error('the request has no state yet');
  return state;
}

/** The first middleware: makes a new request id, whatever id the caller sent. */
export const createRequestState: RequestHandler = (request, response, next) => {
  const state: RequestState = {
    requestId: randomUUID(),
    action: truncate(`${request.method} ${hideCalendarSecret(request.path)}`, LOGGED_TEXT_CHARACTERS),
    ipAddress: readCallerIpAddress(request),
    userAgent: truncate(request.get('user-agent') ?? '', LOGGED_TEXT_CHARACTERS),
    socket: request.socket,
    readOnly: request.method === 'GET' || request.method === 'HEAD',
  };
  statesByRequest.set(request, state);
  response.setHeader('X-Request-Id', state.requestId);
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** Hides the secret in a calendar's path, also in a copy with extra or missing characters or with a misspelt path. */
function hideCalendarSecret(path: string): string {
  return path
    .replace(/(calendar\/).+?(\.ics)?$/is, '$1{secret}$2')
    .replaceAll(/[\w-]{40,}/g, (text) => (new Set(text).size < 16 ? text : '{secret}'));
}

/** Removes the port that some proxies add: with the port, the rate limit would count each connection separately. */
function readCallerIpAddress(request: Request): string {
  const address = request.ip ?? '';
  if (isIP(address) !== 0) return address;
  const [, bracketed, plain] = /^(?:\[(.+)\]|([^:]+)):\d+$/.exec(address) ?? [];
  return (bracketed ?? plain ?? address).slice(0, LOGGED_ADDRESS_CHARACTERS);
}
