import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { StatementResult, Statement } from '../db/statement.ts';
import type { Caller } from '../identity/caller.ts';
import { CACHED_LIST_QUERIES } from '../limits.ts';
import type { CallerRequest } from './caller-request.ts';
import { createRecord } from './creation.ts';
import type { Endpoint, RequestInput, ListQuery, RecordShape } from './endpoint.ts';
import type { EndpointReply } from './envelope.ts';
import { createWeakEtag, replyUnlessNotModified } from './preconditions.ts';
import { RecordNotFound } from './errors.ts';
import { refuseInaccessibleList } from './visibility.ts';

/** @throws RecordNotFound, RequestError, and the errors of the database */
export function runEndpoint(endpoint: Endpoint, input: RequestInput, request: CallerRequest): Promise<EndpointReply> {
  const { caller, incoming, ifMatch } = request;
  if ('list' in endpoint) return replyWithPage(endpoint, input, request);
  if ('read' in endpoint) {
    const statement = endpoint.read(input, caller);
    const { of } = statement;
    return runRead(statement, of === undefined, request).then((result) =>
      replyUnlessNotModified(incoming, replyWithRecord(of ?? endpoint.of, result)),
    );
  }
  if ('change' in endpoint)
    return request.run(endpoint.change(input, ifMatch)).then((result) => replyWithRecord(endpoint.of, result));
  if ('create' in endpoint) {
    const id = randomUUID();
    return createRecord(request, {
      of: endpoint.of,
      id,
      location: `${incoming.url}/${id}`,
      make: [endpoint.create(input, id)],
    });
  }
  if ('remove' in endpoint)
    return request.run(endpoint.remove(input, ifMatch)).then(({ rowCount }) => {
      if (rowCount === 0) throw new RecordNotFound();
      // The response does not wait until the store removes contents of deleted documents: a failed removal is repeated.
      if (endpoint.of.hasDocuments) void request.documents.removeDueContents();
      return { status: 204 };
    });
  return endpoint.handle(input, request);
}

export function replyWithRecord(of: RecordShape, { rows: [row] }: StatementResult): EndpointReply {
  if (row === undefined) throw new RecordNotFound();
  const tag = of.tag(row);
  return { status: 200, body: of.write(row), headers: tag === undefined ? {} : { ETag: tag } };
}

/**
 * A read without `expand` has rights for one client only, the record's client. A read with `expand` may return records
 * of several clients.
 */
function runRead(statement: Statement, isPlain: boolean, request: CallerRequest): Promise<StatementResult> {
  const { resource: table, resourceId: id } = request.state;
  return request.run(statement, isPlain && table !== undefined && id !== undefined ? { table, id } : undefined);
}

type ListEndpoint = Extract<Endpoint, { list: unknown }>;

/** Caches a list's SQL query by its parsed input; requests with the same URL get the same input object. */
const listQueryCache = new LRUCache<RequestInput, { readonly caller: Caller; readonly query: ListQuery }>({
  max: CACHED_LIST_QUERIES,
});

function findListQuery(endpoint: ListEndpoint, input: RequestInput, caller: Caller): ListQuery {
  const cached = listQueryCache.get(input);
  if (cached?.caller === caller) return cached.query;
  const query = endpoint.list(input, caller);
  listQueryCache.set(input, { caller, query });
  return query;
}

async function replyWithPage(
  endpoint: ListEndpoint,
  input: RequestInput,
  request: CallerRequest,
): Promise<EndpointReply> {
  const { caller, incoming } = request;
  const query = findListQuery(endpoint, input, caller);
  const { of = endpoint.of, limit } = query;
  const { rows: found } = await runRead(query.records, query.of === undefined, request);
  const total = found[0]?.[of.width];
  // With a total, an empty list still has a row: nulls and the total.
  const rows = found.filter(([first]) => total === undefined || first !== null);
  if (rows.length === 0) await refuseInaccessibleList(endpoint, input, request);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const body = `[${page.map((row) => of.write(row)).join(',')}]`;
  const headers = {
    ...(last && { Link: `<${request.publicPath}${formatNextUrl(incoming, query.cursor(last))}>; rel="next"` }),
    ...(total != null && { 'X-Total-Count': total }),
  };
  const versions = page.map((row) => of.versionOf(row));
  const ETag = createWeakEtag(JSON.stringify(headers) + (versions.includes(undefined) ? body : versions.join()));
  return replyUnlessNotModified(incoming, { status: 200, body, headers: { ...headers, ETag } });
}

function formatNextUrl({ url = '' }: IncomingMessage, cursor: string): string {
  const [path = '', search] = url.split('?');
  const query = new URLSearchParams(search);
  query.delete('offset');
  query.set('after', Buffer.from(cursor).toString('base64url'));
  return `${path}?${query.toString()}`;
}
