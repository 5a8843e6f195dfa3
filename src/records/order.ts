import type { StatementParameter } from '../db/statement.ts';

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
export const COLLATION = 'und-x-icu';

export const addCollation = (text: string): string => `${text} collate "${COLLATION}"`;

export function orderBy(orders: SortOrders, rows = 'r'): string {
  return orderByUnique(appendIdOrder(orders), rows);
}

/** Makes an ORDER BY clause without the id, for rows whose sort values are unique. */
export function orderByUnique(orders: readonly SortOrder[], rows = 'r'): string {
  const orderTerms = orders.map(
    ({ column, direction, hasNulls, ...placing }) =>
      `${sortExpression(`${rows}.${column}`, placing)} ${direction}${hasNulls && direction === 'desc' ? ' nulls last' : ''}`,
  );
  return `order by ${orderTerms.join(', ')}`;
}

type AddParameter = (value: StatementParameter) => string;

export function cursorCondition(
  orders: SortOrders,
  last: readonly (string | null)[],
  add: AddParameter,
): string {
  return uniqueCursorCondition(appendIdOrder(orders), last, add);
}

export function uniqueCursorCondition(
  orders: readonly SortOrder[],
  last: readonly (string | null)[],
  add: AddParameter,
): string {
  const cursorColumns = orders.map((order, index) => {
    const lastRowValue = last[index] ?? null;
    const typedLastValueSql = lastRowValue === null ? undefined : `${add(lastRowValue)}::${order.type}`;
    return {
      ...order,
      value: typedLastValueSql,
      place: typedLastValueSql && sortExpression(typedLastValueSql, order),
    };
  });
  const [first, id] = cursorColumns;
  if (cursorColumns.length === 2 && first !== undefined && id?.column === 'id' && !first.hasNulls)
    return `(${sortExpression(`r.${first.column}`, first)}, r.id) ${comparisonOperatorOf(first)} (${String(first.place)}, ${String(id.value)})`;
  const beyondCursorConditions = cursorColumns.flatMap((column, index) => {
    if (column.place === undefined) return [];
    const behindCursorCondition = `${sortExpression(`r.${column.column}`, column)} ${comparisonOperatorOf(column)} ${column.place}`;
    return [
      [
        ...cursorColumns
          .slice(0, index)
          .map(({ column: name, value }) =>
            value === undefined ? `r.${name} is null` : `r.${name} = ${value}`,
          ),
        column.hasNulls ? `(${behindCursorCondition} or r.${column.column} is null)` : behindCursorCondition,
      ].join(' and '),
    ];
  });
  return beyondCursorConditions.length === 0 ? 'false' : `(${beyondCursorConditions.join(' or ')})`;
}

/**
 * Returns the SQL sort key: the place of a status in its life cycle, a text with `COLLATION`, or any other value
 * itself.
 */
export function sortExpression(value: string, { type, states }: SortKey): string {
  if (states !== undefined)
    return `case ${value} ${states.map((state, at) => `when '${state}' then ${String(at)}`).join(' ')} end`;
  return type === 'text' ? addCollation(value) : value;
}

/**
 * Adds the collation to cursors of lists sorted by text, so that the service rejects cursors of release 1.0.0, which
 * sorted texts differently.
 */
export function listCursorCollations(orders: SortOrders): readonly string[] {
  return orders.some(({ type, states }) => type === 'text' && states === undefined) ? [COLLATION] : [];
}

function appendIdOrder(orders: SortOrders): readonly SortOrder[] {
  const direction = orders.at(-1)?.direction ?? 'desc';
  return [...orders, { column: 'id', direction, type: 'uuid', hasNulls: false }];
}

function comparisonOperatorOf({ direction }: SortOrder): string {
  return direction === 'desc' ? '<' : '>';
}
