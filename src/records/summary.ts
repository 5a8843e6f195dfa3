import { z } from 'zod';
import { endpoint, computeSqlLimit, type Endpoint, type ListQuery, type RecordShape } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import type { Caller } from '../identity/caller.ts';
import * as column from './column.ts';
import { createCursorFormat } from './cursor.ts';
import type { Filters } from './filters.ts';
import { buildWhereClause } from './list-forms.ts';
import type { List } from './list.ts';
import { buildUniqueCursorCondition, buildUniqueOrderBy, type SortOrder } from './order.ts';
import { collectParameters } from './parameters.ts';
import { record, type RecordColumns, type RecordDefinition } from './record.ts';

/** Today's date in Europe/Paris, as SQL. */
export const TODAY_SQL = 'app.paris_today()';

/** A column with the sum of `sql` over the rows `r`. */
export function defineSumColumn(sql: string, says: string): column.Column {
  return column.readOnlyWithDescription(column.decimal, says, `coalesce(sum(${sql}), 0.00)`);
}

interface SummaryOptions<F extends Filters> extends Pick<Endpoint, 'tag' | 'path' | 'roles' | 'references'> {
  readonly of: RecordDefinition;
  readonly list: List<F>;
  /** Maps each value of the parameter `by` to its column. */
  readonly by: Readonly<Record<string, string>>;
  /** Maps a name to a column of times or dates; `by` accepts `<name>_month` and `<name>_quarter`. */
  readonly spans: Readonly<Record<string, string>>;
  readonly sums: RecordColumns;
  /** The plural of the record's name, for the summary text of the operation in OpenAPI. */
  readonly what: string;
}

const MAX_GROUP_FIELDS = 2;

type GroupColumns = Readonly<Record<string, readonly [name: string, column.Column]>>;

/** Makes the endpoint that counts the records of a list by one field or two; docs/decisions/summary.md */
export function defineSummaryEndpoint<const F extends Filters>(shape: SummaryOptions<F>): Endpoint {
  const { of, list, by: words, spans, sums, what, ...where } = shape;
  const name = `${of.name}Summary`;
  const groups = defineGroupColumns(of, words, spans);
  const counts = { count: column.readOnlyWithDescription(column.integer, 'Number of records.', 'count(*)'), ...sums };
  const defineRow = (by: readonly string[]): RecordDefinition =>
    record([name, ...by].join('-'), of.table, { ...Object.fromEntries(pickGroups(groups, by)), ...counts });
  const [first = '', ...others] = Object.keys(groups);
  const query = z.strictObject({
    by: field
      .describeParameter(
        field.distinctListOf(
          field.fieldNameEnum(`${name}Key`, 'Fields by which a summary groups.', [first, ...others]),
          MAX_GROUP_FIELDS,
        ),
        `Field to group by, or two separated by a comma; ${first} by default. The rows are sorted by these fields, statuses in the order of the enum; rows without a value come last. A month or quarter is given as its first day, in Europe/Paris.`,
      )
      .default([first]),
    ...list.filters.rules,
    limit: field.pageParameters.limit,
    after: field.pageParameters.after,
  });
  const rows = new Map<string, RecordDefinition>();

  return endpoint({
    ...where,
    resource: of.table,
    method: 'get',
    path: `${where.path}/summary`,
    of: describeRows(name, defineRow([first]), defineRow([first, ...others]), Object.keys(counts)),
    query,
    operationId: `summarize${of.name}s`,
    summary: `Count ${what}, grouped by one or two fields`,
    list: ({ query }, caller) => {
      const { by } = query as { by: readonly string[] };
      const row = rows.get(by.join()) ?? defineRow(by);
      rows.set(by.join(), row);
      return selectSummary(shape, row, pickGroups(groups, by), query, caller);
    },
  });
}

function defineGroupColumns(
  { columns }: RecordDefinition,
  words: Readonly<Record<string, string>>,
  spans: Readonly<Record<string, string>>,
): GroupColumns {
  const periods = Object.entries(spans).flatMap(([word, stored]) =>
    ['month', 'quarter'].map((span) => {
      const key = `${word}_${span}`;
      return [key, [key, definePeriodColumn(span, stored, columns[stored]?.kind)]];
    }),
  );
  return Object.fromEntries([
    ...Object.entries(words).map(([word, stored]) => [word, [stored, columns[stored]]]),
    ...periods,
  ]) as GroupColumns;
}

function pickGroups(groups: GroupColumns, by: readonly string[]) {
  return by.flatMap((word) => (groups[word] ? [groups[word]] : []));
}

/** The description has one schema with all columns: required are those that rows by any field have. */
function describeRows(
  name: string,
  row: RecordDefinition,
  all: RecordDefinition,
  always: readonly string[],
): RecordShape {
  const schema = all.schema as z.ZodObject;
  const fields = Object.entries<z.ZodType>(schema.shape).map(([key, rule]) => [
    key,
    always.includes(key) ? rule : rule.optional(),
  ]);
  return {
    ...row,
    name,
    schema: z
      .strictObject(Object.fromEntries(fields) as Record<string, z.ZodType>)
      .meta({ ...schema.meta(), id: name }),
  };
}

function selectSummary<F extends Filters>(
  { of, list }: SummaryOptions<F>,
  row: RecordDefinition,
  groups: ReturnType<typeof pickGroups>,
  query: Readonly<Record<string, unknown>>,
  caller: Caller,
): ListQuery {
  const { by, after, limit } = query as unknown as { by: readonly string[]; after?: string; limit: number };
  const { values, add } = collectParameters();
  const orders = groups.map(
    ([key, { kind, states }]): SortOrder => ({
      column: key,
      direction: 'asc',
      type: kind.type,
      states,
      hasNulls: column.isNullable(kind),
    }),
  );
  const nullable = orders.map(({ hasNulls }) => hasNulls);
  const cursor = createCursorFormat([of.table, 'by', by.join()], nullable);
  const conditions = list.filters.conditions(query, caller, add);
  const behind = after === undefined ? [] : [buildUniqueCursorCondition(orders, cursor.read(after), add)];
  const order = buildUniqueOrderBy(orders);
  // Without `offset 0` the planner would read the rows in the summary's sort order, one client after the other.
  const rows = `
select r.*
from (
    select ${row.selectList}
    from public.${of.table} as r
    ${buildWhereClause(conditions)}
    group by ${orders.map((_, index) => String(index + 1)).join(', ')}
    offset 0
) as r
${buildWhereClause(behind)}
${order}
limit ${add(computeSqlLimit(limit))}`;
  const expanded = Object.keys(row.expansion.schemas);
  return {
    records: { text: row.expansion.around(rows, expanded, order), values },
    limit,
    cursor: (line) => cursor.of(line.slice(0, orders.length)),
    of: row.expansion.shape(row, expanded),
  };
}

function definePeriodColumn(span: string, stored: string, kind = column.date): column.Column {
  const timeSql = kind.type === 'date' ? `r.${stored}` : `r.${stored} at time zone 'Europe/Paris'`;
  return column.readOnlyWithDescription(
    column.nullable(column.date),
    `First day of the ${span} of ${stored}.`,
    `date_trunc('${span}', ${timeSql})::date`,
  );
}
