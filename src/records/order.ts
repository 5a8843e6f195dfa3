import type { Parameter } from '../db/statement.ts';

/** What a list is sorted by first, or second. */
export interface Order {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
  /** The type of the column, as Postgres names it. */
  readonly type: string;
  /** Whether there may be null in the column: it comes last, in either direction. */
  readonly hasNulls: boolean;
}

export type Orders = readonly [Order, ...Order[]];

/** Ties are put in order by the id, in the direction of what was named last. */
export function orderBy(orders: Orders, rows = 'r'): string {
  const parts = withId(orders).map(
    ({ column, direction, hasNulls }) =>
      `${rows}.${column} ${direction}${hasNulls && direction === 'desc' ? ' nulls last' : ''}`,
  );
  return `order by ${parts.join(', ')}`;
}

/** A condition: the row comes behind the one that has these values in the columns of the order, and this id. */
export function behind(
  orders: Orders,
  last: readonly (string | null)[],
  add: (value: Parameter) => string,
): string {
  const columns = withId(orders).map((order, index) => {
    const value = last[index] ?? null;
    return { ...order, value: value === null ? undefined : `${add(value)}::${order.type}` };
  });
  const [first, id] = columns;
  // One comparison of both, which an index answers.
  if (columns.length === 2 && first !== undefined && id !== undefined && !first.hasNulls)
    return `(r.${first.column}, r.id) ${comparison(first)} (${String(first.value)}, ${String(id.value)})`;
  const ways = columns.flatMap((column, index) => {
    // Nothing comes behind null but the next column's greater values.
    if (column.value === undefined) return [];
    const greater = `r.${column.column} ${comparison(column)} ${column.value}`;
    return [
      [
        ...columns
          .slice(0, index)
          .map(({ column: name, value }) =>
            value === undefined ? `r.${name} is null` : `r.${name} = ${value}`,
          ),
        column.hasNulls ? `(${greater} or r.${column.column} is null)` : greater,
      ].join(' and '),
    ];
  });
  return `(${ways.join(' or ')})`;
}

function withId(orders: Orders): readonly Order[] {
  const direction = orders.at(-1)?.direction ?? 'desc';
  return [...orders, { column: 'id', direction, type: 'uuid', hasNulls: false }];
}

function comparison({ direction }: Order): string {
  return direction === 'desc' ? '<' : '>';
}
