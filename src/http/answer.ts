import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Result, Statement } from '../db/statement.ts';
import type { CallerRequest } from './caller-request.ts';
import { create } from './creation.ts';
import type { Endpoint, Input, RecordShape, Reply } from './endpoint.ts';
import { tagOfText, unlessKnown } from './preconditions.ts';
import { NothingFound, refuseEmpty } from './why-not.ts';

/** @throws NothingFound, RequestError, and the errors of the database */
export function answer(endpoint: Endpoint, input: Input, request: CallerRequest): Promise<Reply> {
  const { caller, incoming, ifMatch } = request;
  if ('list' in endpoint) return listed(endpoint, input, request);
  if ('read' in endpoint) {
    const query = endpoint.read(input, caller);
    const { of } = query;
    return read(query, of === undefined, request).then((result) =>
      unlessKnown(incoming, recordIn(of ?? endpoint.of, result)),
    );
  }
  if ('change' in endpoint)
    return request.run(endpoint.change(input, ifMatch)).then((result) => recordIn(endpoint.of, result));
  if ('create' in endpoint) {
    const id = randomUUID();
    const location = `${incoming.url}/${id}`;
    return create(request, { of: endpoint.of, id, location, make: [endpoint.create(input, id)] });
  }
  if ('remove' in endpoint)
    return request.run(endpoint.remove(input, ifMatch)).then(({ rowCount }) => {
      if (rowCount === 0) throw new NothingFound();
      // Not awaited: the store removes the contents of deleted documents later, too.
      if (endpoint.of.hasDocuments) void request.documents.removeDue();
      return { status: 204 };
    });
  return endpoint.handle(input, request);
}

export function recordIn(of: RecordShape, { rows: [row] }: Result): Reply {
  if (row === undefined) throw new NothingFound();
  const tag = of.tag(row);
  return { status: 200, body: of.write(row), headers: tag === undefined ? {} : { ETag: tag } };
}

/** A plain read needs a right to the client of its record alone; names that `expand` adds may be of other clients. */
function read(statement: Statement, isPlain: boolean, request: CallerRequest): Promise<Result> {
  const { resource: table, resourceId: id } = request.state;
  return request.run(
    statement,
    isPlain && table !== undefined && id !== undefined ? { table, id } : undefined,
  );
}

async function listed(
  endpoint: Extract<Endpoint, { list: unknown }>,
  input: Input,
  request: CallerRequest,
): Promise<Reply> {
  const query = endpoint.list(input, request.caller);
  const { of = endpoint.of, limit } = query;
  const { rows: found } = await read(query.records, query.of === undefined, request);
  const total = found[0]?.[of.width];
  const rows = found.filter(([first]) => total === undefined || first !== null);
  if (rows.length === 0) await refuseEmpty(endpoint, input, request);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const body = `[${page.map((row) => of.write(row)).join(',')}]`;
  const headers = {
    ...(last && { Link: `<${nextPage(request.incoming, query.cursor(last))}>; rel="next"` }),
    ...(total != null && { 'X-Total-Count': total }),
  };
  const ETag = tagOfText(JSON.stringify(headers) + body);
  return unlessKnown(request.incoming, { status: 200, body, headers: { ...headers, ETag } });
}

function nextPage({ url = '' }: IncomingMessage, cursor: string): string {
  const [path = '', search] = url.split('?');
  const parameters = new URLSearchParams(search);
  parameters.delete('offset');
  parameters.set('after', Buffer.from(cursor).toString('base64url'));
  return `${path}?${parameters.toString()}`;
}
