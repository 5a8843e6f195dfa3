import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Result } from '../db/statement.ts';
import type { Run } from '../db/transaction.ts';
import { callerRequest } from './checked-request.ts';
import type { CheckedRequest, Sources } from './checked-request.ts';
import { listAsCsv } from './csv.ts';
import type { CallerRequest, ListQuery, RecordShape, Reply, Row } from './endpoint.ts';
import { tagOfText, unlessKnown } from './preconditions.ts';
import { refuseForeignFilter } from './refusals.ts';
import { look, NothingFound } from './standings.ts';

/**
 * Gives what an endpoint answers with.
 * @throws NothingFound, RequestError, and the errors of the database
 */
export async function answer(checked: CheckedRequest, sources: Sources): Promise<Reply> {
  const { endpoint, input, caller, incoming } = checked;
  const request = callerRequest(checked, sources);
  if ('read' in endpoint) {
    const query = endpoint.read(input, caller);
    return unlessKnown(incoming, recordIn(query.of ?? endpoint.of, await request.run(query)));
  }
  if ('list' in endpoint && checked.isCsv === true) return listAsCsv(endpoint, checked, sources);
  if ('list' in endpoint) {
    const query = endpoint.list(input, caller);
    return listed(query.of ?? endpoint.of, query, checked, sources);
  }
  if ('create' in endpoint) {
    const id = randomUUID();
    const location = `${incoming.url ?? ''}/${id}`;
    return request.create({ of: endpoint.of, id, location, statements: [endpoint.create(input, id)] });
  }
  if ('change' in endpoint)
    return recordIn(endpoint.of, await request.run(endpoint.change(input, request.ifMatch)));
  if ('remove' in endpoint)
    return removed(await request.run(endpoint.remove(input, request.ifMatch)), checked, sources);
  return endpoint.handle(input, request);
}

/**
 * 200 and the record of a result, with its entity tag.
 * @throws NothingFound
 */
export function recordIn(of: RecordShape, { rows }: Result): Reply {
  const [row] = rows;
  if (row === undefined) throw new NothingFound();
  return { status: 200, body: of.write(row), headers: tagged(of, row) };
}

/**
 * Statements that depend on each other, as one change; the last gives the record. Where it gives none everything is
 * undone: what is refused is not stored.
 * @throws NothingFound
 */
export async function changedInSteps(
  of: RecordShape,
  request: CallerRequest,
  steps: (run: Run) => Promise<Result>,
): Promise<Reply> {
  return request.transaction(async (run) => recordIn(of, await steps(run)));
}

/** The tables whose records take documents along. */
const WITH_DOCUMENTS: readonly unknown[] = ['clients', 'sites', 'reclamations', 'documents'];

/** 204 for a record that was there. Nobody waits for the store to lose the contents of documents that went along. */
function removed({ rowCount }: Result, { state }: CheckedRequest, { documents }: Sources): Reply {
  if (rowCount === 0) throw new NothingFound();
  if (WITH_DOCUMENTS.includes(state.resource)) void documents.removeDue();
  return { status: 204 };
}

/** A list below a record is empty only where that record is seen. */
async function listed(
  of: RecordShape,
  query: ListQuery,
  checked: CheckedRequest,
  sources: Sources,
): Promise<Reply> {
  const { resource: table, resourceId: id } = checked.state;
  const above = table === undefined || id === undefined ? [] : [look({ table, id })];
  const [found, seen] = await callerRequest(checked, sources).runAll(query.records, ...above);
  const total = found?.rows[0]?.[of.width];
  const rows = (found?.rows ?? []).filter(([first]) => total === undefined || first !== null);
  if (rows.length === 0) {
    if (seen?.rowCount === 0) throw new NothingFound();
    await refuseForeignFilter(checked, sources);
  }
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  const body = `[${page.map((row) => of.write(row)).join(',')}]`;
  const headers = {
    ...(last && { Link: `<${nextPage(checked.incoming, query.cursor(last))}>; rel="next"` }),
    ...(total != null && { 'X-Total-Count': total }),
  };
  const ETag = tagOfText(JSON.stringify(headers) + body);
  return unlessKnown(checked.incoming, { status: 200, body, headers: { ...headers, ETag } });
}

/** The same list from the cursor on; what was skipped by `offset` is behind it already. */
function nextPage({ url = '' }: IncomingMessage, cursor: string): string {
  const [path = '', search] = url.split('?');
  const parameters = new URLSearchParams(search);
  parameters.delete('offset');
  parameters.set('after', Buffer.from(cursor).toString('base64url'));
  return `${path}?${parameters.toString()}`;
}

function tagged(of: RecordShape, row: Row): Record<string, string> {
  const tag = of.tag(row);
  return tag === undefined ? {} : { ETag: tag };
}
