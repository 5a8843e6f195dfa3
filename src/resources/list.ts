import type { ListQuery } from '../http/endpoint.ts';
import { RequestError } from '../errors.ts';
import type { Parameter } from '../db/statement.ts';
import type { Caller } from '../identity/caller.ts';

/** What a list is made of: SQL texts of our own, in which each `$` stands for the value of its filter. */
interface ListShape {
  /** The columns of a record, as after `select`; the source is called `r`. */
  readonly columns: string;
  /** What comes after `from`; the table whose records are listed is called `r`. */
  readonly from: string;
  /** The column of `r` that holds the client, where there is one. */
  readonly client?: string;
  /** The fields that `sort` may name, and the type of each; never null, and columns of `r`. */
  readonly sorts: Readonly<Record<string, string>>;
  /** The condition of each filter, by the name of its query parameter. */
  readonly filters: Readonly<Record<string, string>>;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly after?: string | undefined;
  readonly sort: string;
  readonly count?: 'exact' | undefined;
}

/** Up to here the newest of each client are merged; beyond, one walk through all is faster. See bench/lists. */
const FEW_CLIENTS = 50;

/** The filters of the time of creation, for lists that take them. */
export const CREATED = { created_from: 'r.created_at >= $', created_to: 'r.created_at <= $' };

/**
 * The statements of a list, in the form that is fast for this caller: with a named client or for an ADMIN the index
 * of the order is walked; a caller with a few clients gets the newest of each, merged, since under a policy the
 * planner would otherwise walk past everybody's rows to find them.
 * @throws RequestError ERROR_VALIDATION for a cursor of another list or another order
 */
export function listOf(
  shape: ListShape,
  query: Page & Readonly<Record<string, unknown>>,
  caller: Caller,
): ListQuery {
  const values: Parameter[] = [];
  const add = (value: Parameter): string => `$${String(values.push(value))}`;
  const conditions = Object.entries(shape.filters).flatMap(([filter, condition]) => {
    const value = query[filter] as Parameter | undefined;
    return value === undefined ? [] : [condition.replaceAll('$', add(value))];
  });
  const count = query.count && { text: counted(shape, conditions), values: [...values] };
  const { field, direction } = orderOf(query.sort);
  const order = `order by r.${field} ${direction}, r.id ${direction}`;
  if (query.after !== undefined) conditions.push(behind(query.after, shape, query.sort, add));
  const merged = shape.client !== undefined && isMerged(query, caller);
  const depth = add(query.offset + query.limit + 1);
  const text = `
select to_json(r)::text, json_build_array('${query.sort}', r.${field}::text, r.id)::text
from (
    select *
    from (${merged ? newestOfEach(shape, shape.client, conditions, order, depth) : walk(shape, conditions, order, depth)}
    ) r
    ${order}
    limit ${add(query.limit + 1)} offset ${add(query.offset)}
) r
${order}`;
  return { records: { text, values }, limit: query.limit, ...(count && { count }) };
}

function orderOf(sort: string): { field: string; direction: 'asc' | 'desc' } {
  return sort.startsWith('-')
    ? { field: sort.slice(1), direction: 'desc' }
    : { field: sort, direction: 'asc' };
}

function isMerged(query: Page & Readonly<Record<string, unknown>>, { clientAccess }: Caller): boolean {
  const { length } = clientAccess;
  return (
    length > 0 &&
    length <= FEW_CLIENTS &&
    query['client_id'] === undefined &&
    query.sort.endsWith('created_at')
  );
}

function walk(
  { columns, from }: ListShape,
  conditions: readonly string[],
  order: string,
  depth: string,
): string {
  return `
        select ${columns}
        from ${from}
        ${where(conditions)}
        ${order}
        limit ${depth}`;
}

function newestOfEach(
  { columns, from }: ListShape,
  client: string,
  conditions: readonly string[],
  order: string,
  depth: string,
): string {
  return `
        select r.*
        from unnest(app.client_access()) as c (id)
        cross join lateral (
            select ${columns}
            from ${from}
            ${where([`${client} = c.id`, ...conditions])}
            ${order}
            limit ${depth}
        ) r`;
}

function counted({ from }: ListShape, conditions: readonly string[]): string {
  return `select count(*) from ${from} ${where(conditions)}`;
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}

/** The condition for what comes after the cursor, which holds the order and the last record of a page. */
function behind(
  cursor: string,
  { sorts }: ListShape,
  sort: string,
  add: (value: Parameter) => string,
): string {
  const [ofSort, value, id] = parse(cursor);
  const { field, direction } = orderOf(sort);
  if (ofSort !== sort || typeof value !== 'string' || typeof id !== 'string' || sorts[field] === undefined) {
    throw new RequestError('ERROR_VALIDATION', 'after is no cursor of this list', {
      details: { after: 'must be the cursor of a Link header of the same list in the same order' },
    });
  }
  const comparison = direction === 'desc' ? '<' : '>';
  return `(r.${field}, r.id) ${comparison} (${add(value)}::${sorts[field]}, ${add(id)}::uuid)`;
}

function parse(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(cursor);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/** A pattern for `ilike` that finds the text wherever it stands, with nothing in it that means something else. */
export function containing(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
