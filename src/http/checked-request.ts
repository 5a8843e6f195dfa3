import type { IncomingMessage } from 'node:http';
import type { Database } from '../db/database.ts';
import type { RequestContext } from '../db/request-settings.ts';
import type { Documents } from '../documents/documents.ts';
import type { Caller } from '../identity/caller.ts';
import { creating } from './creation.ts';
import type { Repeatable } from './creation.ts';
import type { CallerRequest, Endpoint, Input } from './endpoint.ts';
import { ifMatchOf } from './preconditions.ts';
import type { RequestState } from './request-state.ts';
import { look, standings } from './standings.ts';

/** What requests are answered from. */
export interface Sources {
  readonly database: Database;
  readonly documents: Documents;
}

/** Whoever asks, by a token that holds, and how. */
export interface Exchange {
  readonly state: RequestState;
  readonly caller: Caller;
  readonly incoming: IncomingMessage;
  /** Asks a caller who waits for it to send the body. */
  readonly inviteBody: () => void;
  /** With an `Idempotency-Key`, where the endpoint creates. */
  readonly repeatable?: Repeatable | undefined;
}

/** A request that passed every check but those of the database. */
export interface CheckedRequest extends Exchange {
  /** Whether a list is to be CSV, and so whole. */
  readonly isCsv?: boolean;
  readonly endpoint: Endpoint;
  readonly input: Input;
}

/** What an endpoint that is written out in full may ask: the database with the rights of the caller, and no more. */
export function callerRequest(exchange: Exchange, { database, documents }: Sources): CallerRequest {
  const { caller, incoming, inviteBody, repeatable, state } = exchange;
  const context = contextOf(exchange);
  return {
    ...{ caller, incoming, inviteBody, documents },
    ...creating(context, repeatable, database),
    ifMatch: ifMatchOf(incoming),
    run: async (statements) => {
      const result = (await database.run(context, [statements].flat())).at(-1);
      if (result === undefined) throw new Error('a statement without a result');
      return result;
    },
    runAll: (...statements) => database.run(context, statements),
    transaction: (work, limits) => database.transaction(context, work, limits),
    within: (client) => callerRequest({ ...exchange, state: { ...state, client } }, { database, documents }),
    standings: (named) => standings(named, database, context),
    isVisible: async () => {
      const { resource: table, resourceId: id } = state;
      if (table === undefined || id === undefined) return false;
      const [found] = await database.run(context, [look({ table, id })]);
      return found !== undefined && found.rowCount > 0;
    },
  };
}

/** What one request tells the database about itself. */
export function contextOf({ state, caller }: Pick<Exchange, 'state' | 'caller'>): RequestContext {
  const { requestId, action, ipAddress, userAgent, readOnly, client, timeline } = state;
  return { caller, requestId, action, ipAddress, userAgent, readOnly, client, timeline };
}
