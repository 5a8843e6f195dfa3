import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import type { RequestContext } from '../db/request-settings.ts';
import type { RequestError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { cut } from '../log.ts';
import type { Timeline } from '../observed.ts';
import { LOGGED_ADDRESS_CHARACTERS, LOGGED_TEXT_CHARACTERS } from '../limits.ts';

/**
 * What is known of a request; the checks fill it in as they pass. The database is told it as it is, the log and the audit
 * record read it.
 */
export interface RequestState extends Omit<RequestContext, 'caller'> {
  /** The method and the path as sent, without the query and other parts where a secret might be; a long one is cut. */
  action: string;
  caller?: Caller;
  resource?: string;
  resourceId?: string | undefined;
  client?: string | undefined;
  error?: RequestError;
  /** Where somebody wants to know, and since when its token has been checked. */
  timeline?: Timeline | undefined;
  checkBegunMs?: number | undefined;
}

/** That of a request whose caller is known. */
export type AdmittedState = RequestState & RequestContext;

const states = new WeakMap<IncomingMessage, RequestState>();

/** @throws Error when `openRequest` has not seen the request */
export function stateOf(request: IncomingMessage): RequestState {
  const state = states.get(request);
  if (state === undefined) throw new Error('the request has no state yet');
  return state;
}

/** The first of all: gives the request its id, whatever id the caller sent. */
export const openRequest: RequestHandler = (request, response, next) => {
  const state: RequestState = {
    requestId: randomUUID(),
    action: cut(`${request.method} ${request.path}`, LOGGED_TEXT_CHARACTERS),
    ipAddress: addressOf(request),
    userAgent: cut(request.get('user-agent') ?? '', LOGGED_TEXT_CHARACTERS),
    readOnly: request.method === 'GET' || request.method === 'HEAD',
  };
  states.set(request, state);
  response.setHeader('X-Request-Id', state.requestId);
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** Some proxies write the port into X-Forwarded-For: each connection would count as an address of its own. */
function addressOf(request: Request): string {
  const address = request.ip ?? '';
  if (isIP(address) !== 0) return address;
  const withPort = /^(?:\[(.+)\]|([^:]+)):\d+$/.exec(address);
  return (withPort?.[1] ?? withPort?.[2] ?? address).slice(0, LOGGED_ADDRESS_CHARACTERS);
}
