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
  /** The column that holds the client, where there is one: of `r`, or of a parent that `from` joins. */
  readonly client?: string;
  /** The fields that `sort` may name, and the type of each; never null, and columns of `r`. */
  readonly sorts: Readonly<Record<string, string>>;
  /** The condition of each filter, by the name of its query parameter. */
  readonly filters: Readonly<Record<string, string>>;
  /** The filters that leave few rows and have an index of their own. */
  readonly selective?: readonly string[];
}

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly after?: string | undefined;
  readonly sort: string;
  readonly count?: 'exact' | undefined;
}

/** The filters of the time of creation, for lists that take them. */
export const CREATED = { created_from: 'r.created_at >= $', created_to: 'r.created_at <= $' };

/** The filters of the time of the last change. */
export const UPDATED = { updated_from: 'r.updated_at >= $', updated_to: 'r.updated_at <= $' };

/**
 * `updated_from` of a walk in the order of change: also what was under way at that moment and came true after it, which
 * bears an earlier time. docs/decisions/walks-by-change.md says why nothing is missed.
 */
const CHANGED_SINCE = `(r.updated_at >= $ or app.whole_xid(r.xmin) >= (select app.oldest_writer_at($)))`;

/**
 * The statements of a list, in the form that is fast for this caller; bench/lists has the measurements.
 * @throws RequestError ERROR_VALIDATION for a cursor of another list or another order
 */
export function listOf(shape: ListShape, query: ListParameters, caller: Caller): ListQuery {
  const values: Parameter[] = [];
  const add = (value: Parameter): string => `$${String(values.push(value))}`;
  const filters =
    query.sort === 'updated_at' ? { ...shape.filters, updated_from: CHANGED_SINCE } : shape.filters;
  const conditions = Object.entries(filters).flatMap(([filter, condition]) => {
    const value = query[filter] as Parameter | undefined;
    return value === undefined ? [] : [condition.replaceAll('$', add(value))];
  });
  const total = query.count && `select count(*) from ${shape.from} ${where(conditions)}`;
  const { field, direction } = orderOf(query.sort);
  if (query.after !== undefined) conditions.push(behind(query.after, shape, query.sort, add));
  const form = formFor(shape, query, caller);
  const order = `order by r.${field} ${direction}, r.id ${direction}`;
  const limit = add(query.limit + 1);
  const offset = add(query.offset);
  const record = `to_json(r)::text, json_build_array('${tableOf(shape)}', '${query.sort}', r.${field}::text, r.id)::text`;
  const page = `(${form({ ...shape, conditions, order, limit, offset })}
) r`;
  // In one statement, so that the number and the records are of one moment; without records there is a number still.
  const text =
    total === undefined
      ? `
select ${record}
from ${page}
${order}`
      : `
select ${record}, c.total
from (${total}) as c (total)
left join ${page} on true
${order}`;
  return { records: { text, values }, limit: query.limit };
}

type ListParameters = Page & Readonly<Record<string, unknown>>;

interface Parts extends ListShape {
  readonly conditions: readonly string[];
  readonly order: string;
  /** Numbered parameters, both of type bigint. */
  readonly limit: string;
  readonly offset: string;
}

type Form = (parts: Parts) => string;

function formFor({ client, selective = [] }: ListShape, query: ListParameters, caller: Caller): Form {
  const { role, clientAccess } = caller;
  const everything = role === 'ADMIN' && clientAccess.length === 0;
  const isNarrow = ['client_id', ...selective].some((filter) => query[filter] !== undefined);
  if (client === undefined || everything || isNarrow) return walk;
  return client.startsWith('r.') && query.sort.endsWith('created_at')
    ? newestOfEach(client)
    : gathered(client);
}

/** Along an index: that of the order, or of what the request names. */
const walk: Form = ({ columns, from, conditions, order, limit, offset }) => `
    select ${columns}
    from ${from}
    ${where(conditions)}
    ${order}
    limit ${limit} offset ${offset}`;

/**
 * The newest of each of the caller's clients, merged, and only then their rows. Under a policy alone the planner
 * would walk the newest of everybody's and discard. Nothing but columns of the index may be selected inside.
 */
function newestOfEach(client: string): Form {
  return ({ columns, from, conditions, order, limit, offset }) => `
    select ${columns}
    from (
        select r.id
        from unnest((select app.client_access())) as c (id)
        cross join lateral (
            select r.id, r.created_at
            from ${from}
            ${where([`${client} = c.id`, ...conditions])}
            ${order}
            limit ${limit}::bigint + ${offset}::bigint
        ) r
        ${order}
        limit ${limit} offset ${offset}
    ) page, ${from}
    where r.id = page.id`;
}

/** All of the caller's rows, from the clients on, then put in order. */
function gathered(client: string): Form {
  return ({ columns, from, conditions, order, limit, offset }) => `
    select ${columns}
    from unnest((select app.client_access())) as c (id), ${from}
    ${where([`${client} = c.id`, ...conditions])}
    ${order}
    limit ${limit} offset ${offset}`;
}

function orderOf(sort: string): { field: string; direction: 'asc' | 'desc' } {
  return sort.startsWith('-')
    ? { field: sort.slice(1), direction: 'desc' }
    : { field: sort, direction: 'asc' };
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}

function tableOf({ from }: ListShape): string {
  return from.trim().split(' ', 1).join();
}

/** The condition for what comes after the cursor, which holds the list, its order and the last record of a page. */
function behind(cursor: string, shape: ListShape, sort: string, add: (value: Parameter) => string): string {
  const [list, order, value, id] = parse(cursor);
  const { field, direction } = orderOf(sort);
  const type = shape.sorts[field];
  const isOurs = list === tableOf(shape) && order === sort && type !== undefined;
  if (!isOurs || typeof value !== 'string' || typeof id !== 'string') {
    throw new RequestError('ERROR_VALIDATION', 'after is no cursor of this list', {
      details: { after: 'must be the cursor of a Link header of the same list in the same order' },
    });
  }
  const comparison = direction === 'desc' ? '<' : '>';
  return `(r.${field}, r.id) ${comparison} (${add(value)}::${type}, ${add(id)}::uuid)`;
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
