import type { Parameter } from '../db/statement.ts';

interface Placing {
  readonly type: string;
  readonly life?: readonly string[] | undefined;
}

export interface Order extends Placing {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
  /** Whether there may be null in the column: it comes last, in either direction. */
  readonly hasNulls: boolean;
}

export type Orders = readonly [Order, ...Order[]];

/** The collation by which names come in the order in which people read them, whatever the database's own is. */
export const COLLATION = 'und-x-icu';

export const collated = (text: string): string => `${text} collate "${COLLATION}"`;

/** Ties are put in order by the id, in the direction of what was named last. */
export function orderBy(orders: Orders, rows = 'r'): string {
  const parts = withId(orders).map(
    ({ column, direction, hasNulls, ...placing }) =>
      `${placed(`${rows}.${column}`, placing)} ${direction}${hasNulls && direction === 'desc' ? ' nulls last' : ''}`,
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
    return { ...order, value: said, place: said && placed(said, order) };
  });
  const [first, id] = columns;
  if (columns.length === 2 && first !== undefined && id !== undefined && !first.hasNulls)
    return `(${placed(`r.${first.column}`, first)}, r.id) ${comparison(first)} (${String(first.place)}, ${String(id.value)})`;
  const ways = columns.flatMap((column, index) => {
    // Nothing comes behind null but the next column's greater values.
    if (column.place === undefined) return [];
    const greater = `${placed(`r.${column.column}`, column)} ${comparison(column)} ${column.place}`;
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

/** What a value is sorted by: itself, its place among the words of a life, or text as people read it. */
export function placed(value: string, { type, life }: Placing): string {
  if (life !== undefined) return `array_position('{${life.join()}}'::text[], ${value}::text)`;
  return type === 'text' ? collated(value) : value;
}

/** What a cursor says of these orders: the last release had names in another order, and its cursors would leave some out. */
export function spelling(orders: Orders): readonly string[] {
  return orders.some(({ type, life }) => type === 'text' && life === undefined) ? [COLLATION] : [];
}

function withId(orders: Orders): readonly Order[] {
  const direction = orders.at(-1)?.direction ?? 'desc';
  return [...orders, { column: 'id', direction, type: 'uuid', hasNulls: false }];
}

function comparison({ direction }: Order): string {
  return direction === 'desc' ? '<' : '>';
}
