import type { Parameter } from '../db/statement.ts';

/** What a list is sorted by first, or second. */
export interface Order {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
  /** The type of the column, as Postgres names it. */
  readonly type: string;
  /** Whether there may be null in the column: it comes last, in either direction. */
  readonly hasNulls: boolean;
  /** Where it holds one of these words: their order, in place of that of the alphabet. */
  readonly life?: readonly string[] | undefined;
}

export type Orders = readonly [Order, ...Order[]];

/** Ties are put in order by the id, in the direction of what was named last. */
export function orderBy(orders: Orders, rows = 'r'): string {
  const parts = withId(orders).map(
    ({ column, direction, hasNulls, life }) =>
      `${placed(`${rows}.${column}`, life)} ${direction}${hasNulls && direction === 'desc' ? ' nulls last' : ''}`,
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
    const said = value === null ? undefined : `${add(value)}::${order.type}`;
    return { ...order, value: said, place: said && placed(said, order.life) };
  });
  const [first, id] = columns;
  // One comparison of both, which an index answers.
  if (columns.length === 2 && first !== undefined && id !== undefined && !first.hasNulls)
    return `(${placed(`r.${first.column}`, first.life)}, r.id) ${comparison(first)} (${String(first.place)}, ${String(id.value)})`;
  const ways = columns.flatMap((column, index) => {
    // Nothing comes behind null but the next column's greater values.
    if (column.place === undefined) return [];
    const greater = `${placed(`r.${column.column}`, column.life)} ${comparison(column)} ${column.place}`;
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

/** What a value is sorted by: itself, or its place among the words of a life. */
export function placed(value: string, life: readonly string[] | undefined): string {
  return life === undefined ? value : `array_position('{${life.join()}}'::text[], ${value}::text)`;
}

function withId(orders: Orders): readonly Order[] {
  const direction = orders.at(-1)?.direction ?? 'desc';
  return [...orders, { column: 'id', direction, type: 'uuid', hasNulls: false }];
}

function comparison({ direction }: Order): string {
  return direction === 'desc' ? '<' : '>';
}
