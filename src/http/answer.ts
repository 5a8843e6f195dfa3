import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Result } from '../db/statement.ts';
import type { Run } from '../db/transaction.ts';
import type { Caller } from '../identity/caller.ts';
import { callerRequest } from './caller-request.ts';
import type { Sources } from './caller-request.ts';
import type { CallerRequest, Endpoint, Input, ListQuery, Reply } from './endpoint.ts';
import { explained, refuseForeignFilter } from './explained.ts';
import { isNotModified } from './preconditions.ts';
import type { RequestState } from './request-state.ts';

/** A request that passed every check but those of the database. */
export interface Admitted {
  readonly endpoint: Endpoint;
  readonly input: Input;
  readonly state: RequestState;
  readonly caller: Caller;
  readonly incoming: IncomingMessage;
  /** Asks a caller who waits for it to send the body. */
  readonly inviteBody: () => void;
}

/**
 * Gives what an endpoint answers with.
 * @throws RequestError, and the errors of the database
 */
export async function answer(admitted: Admitted, sources: Sources): Promise<Reply> {
  try {
    const reply = await answered(admitted, callerRequest(admitted, sources));
    if (reply.body === '[]') await refuseForeignFilter(admitted, sources);
    return reply;
  } catch (error) {
    throw await explained(error, admitted, sources);
  }
}

async function answered(
  { endpoint, input, caller, incoming }: Admitted,
  request: CallerRequest,
): Promise<Reply> {
  if ('record' in endpoint) return record(await request.run(endpoint.record(input, caller)), request);
  if ('list' in endpoint) return list(endpoint.list(input, caller), request, endpoint);
  if ('create' in endpoint) {
    const id = randomUUID();
    return created(await request.run(endpoint.create(input, id)), `${incoming.url ?? ''}/${id}`);
  }
  if ('change' in endpoint)
    return changed(await request.run(endpoint.change(input, request.ifMatch)), request);
  if ('remove' in endpoint)
    return removed(await request.run(endpoint.remove(input, request.ifMatch)), request);
  return endpoint.handle(input, request);
}

/** A record with its entity tag, unless the caller has that version already. */
export async function record({ rows }: Result, request: CallerRequest): Promise<Reply> {
  const [row] = rows;
  if (row === undefined) throw await request.notFound();
  return isNotModified(request.incoming, row[1]) ? { status: 304, headers: tagged(row) } : whole(200, row);
}

/** @throws Error where the statement made nothing: a statement that creates fails or has a row. */
export function created(result: Result | undefined, location: string): Reply {
  const row = result?.rows[0];
  if (row === undefined) throw new Error('nothing was created');
  const reply = whole(201, row);
  return { ...reply, headers: { ...reply.headers, Location: location } };
}

/** The record as it is after the change. */
export async function changed({ rows }: Result, request: CallerRequest): Promise<Reply> {
  const [row] = rows;
  if (row === undefined) throw await request.notFound();
  return whole(200, row);
}

/**
 * Statements that depend on each other, as one change; the last gives the record. Where it gives none everything is
 * undone before the refusal is made out: what is refused is not stored.
 */
export async function changedInSteps(
  request: CallerRequest,
  steps: (run: Run) => Promise<Result>,
): Promise<Reply> {
  const nothing = new Error('the steps found no record');
  try {
    const result = await request.transaction(async (run) => {
      const last = await steps(run);
      if (last.rows.length === 0) throw nothing;
      return last;
    });
    return await changed(result, request);
  } catch (error) {
    throw error === nothing ? await request.notFound() : error;
  }
}

/** Nothing, once there was something; nor the contents of documents that went along. */
export async function removed({ rowCount }: Result, request: CallerRequest): Promise<Reply> {
  if (rowCount === 0) throw await request.notFound();
  await request.documents.removeDue();
  return { status: 204 };
}

async function list(query: ListQuery, request: CallerRequest, endpoint: Endpoint): Promise<Reply> {
  const { records, limit } = query;
  const found = await request.run(records);
  const total = found.rows[0]?.[2];
  const rows = found.rows.filter(([json]) => json !== null);
  if (rows.length === 0 && endpoint.id !== undefined) await request.assertVisible();
  const page = rows.slice(0, limit);
  const cursor = rows.length > limit ? page.at(-1)?.[1] : undefined;
  return {
    status: 200,
    body: `[${page.map(([json]) => json).join(',')}]`,
    headers: {
      ...(cursor == null ? {} : { Link: `<${nextPage(request.incoming, cursor)}>; rel="next"` }),
      ...(total == null ? {} : { 'X-Total-Count': total }),
    },
  };
}

/** The same list from the cursor on; what was skipped by `offset` is behind it already. */
function nextPage({ url = '' }: IncomingMessage, cursor: string): string {
  const [path = '', search] = url.split('?');
  const parameters = new URLSearchParams(search);
  parameters.delete('offset');
  parameters.set('after', Buffer.from(cursor).toString('base64url'));
  return `${path}?${parameters.toString()}`;
}

function whole(status: 200 | 201, row: readonly (string | null)[]): Reply {
  return { status, body: row[0] ?? '', headers: tagged(row) };
}

function tagged([, tag]: readonly (string | null)[]): Record<string, string> {
  return tag == null ? {} : { ETag: tag };
}
