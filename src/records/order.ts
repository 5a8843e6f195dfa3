import type { AddParameter } from './parameters.ts';

interface SortKey {
  readonly type: string;
  readonly states?: readonly string[] | undefined;
}

export interface SortOrder extends SortKey {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
  readonly hasNulls: boolean;
}

export type SortOrders = readonly [SortOrder, ...SortOrder[]];

/** The collation that sorts names as people expect, whatever the database's own collation is. */
export const NAME_COLLATION = 'und-x-icu';

export const addCollation = (text: string): string => `${text} collate "${NAME_COLLATION}"`;

export function buildOrderBy(orders: SortOrders, rows = 'r'): string {
  return buildUniqueOrderBy(appendIdOrder(orders), rows);
}

/** Makes an ORDER BY clause without the id, for rows whose sort values are unique. */
export function buildUniqueOrderBy(orders: readonly SortOrder[], rows = 'r'): string {
  const terms = orders.map(
    ({ column, direction, hasNulls, ...placing }) =>
      `${sortKey(`${rows}.${column}`, placing)} ${direction}${hasNulls && direction === 'desc' ? ' nulls last' : ''}`,
  );
  return `order by ${terms.join(', ')}`;
}

export function buildCursorCondition(orders: SortOrders, last: readonly (string | null)[], add: AddParameter): string {
  return buildUniqueCursorCondition(appendIdOrder(orders), last, add);
}

export function buildUniqueCursorCondition(
  orders: readonly SortOrder[],
  last: readonly (string | null)[],
  add: AddParameter,
): string {
  const keys = orders.map((order, index) => {
    const known = last[index] ?? null;
    const value = known === null ? undefined : `${add(known)}::${order.type}`;
    return { ...order, value, place: value && sortKey(value, order) };
  });
  const [first, id] = keys;
  if (keys.length === 2 && first !== undefined && id?.column === 'id' && !first.hasNulls)
    return `(${sortKey(`r.${first.column}`, first)}, r.id) ${chooseOperator(first)} (${String(first.place)}, ${String(id.value)})`;
  const beyond = keys.flatMap((column, index) => {
    if (column.place === undefined) return [];
    const behind = `${sortKey(`r.${column.column}`, column)} ${chooseOperator(column)} ${column.place}`;
    return [
      [
        ...keys
          .slice(0, index)
          .map(({ column: name, value }) => (value === undefined ? `r.${name} is null` : `r.${name} = ${value}`)),
        column.hasNulls ? `(${behind} or r.${column.column} is null)` : behind,
      ].join(' and '),
    ];
  });
  return beyond.length === 0 ? 'false' : `(${beyond.join(' or ')})`;
}

/** Returns the place of a status in its life cycle, a text with `NAME_COLLATION`, or any other value itself. */
function sortKey(value: string, { type, states }: SortKey): string {
  if (states !== undefined)
    return `case ${value} ${states.map((state, at) => `when '${state}' then ${String(at)}`).join(' ')} end`;
  return type === 'text' ? addCollation(value) : value;
}

/** Makes the service reject cursors of release 1.0.0, which sorted texts with another collation. */
export function listCursorCollations(orders: SortOrders): readonly string[] {
  return orders.some(({ type, states }) => type === 'text' && states === undefined) ? [NAME_COLLATION] : [];
}

/** Returns the orders with the id at their end, unless the id is the first: then no other order counts. */
export function appendIdOrder(orders: SortOrders): readonly SortOrder[] {
  if (orders[0].column === 'id') return [orders[0]];
  const direction = orders.at(-1)?.direction ?? 'desc';
  return [...orders, { column: 'id', direction, type: 'uuid', hasNulls: false }];
}

function chooseOperator({ direction }: SortOrder): string {
  return direction === 'desc' ? '<' : '>';
}
