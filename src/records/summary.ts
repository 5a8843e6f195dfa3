import { z } from 'zod';
import type { StatementParameter } from '../db/statement.ts';
import { endpoint, computeSqlLimit, type Endpoint, type ListQuery, type RecordShape } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import type { Caller } from '../identity/caller.ts';
import * as column from './column.ts';
import { createCursorFormat } from './cursor.ts';
import type { Filters } from './filters.ts';
import { buildWhereClause } from './list-forms.ts';
import type { List } from './list.ts';
import { buildUniqueCursorCondition, buildUniqueOrderBy, type SortOrder } from './order.ts';
import { record, type RecordColumns, type RecordDefinition } from './record.ts';

/** Today's date in UTC, as SQL. */
export const TODAY_SQL = "(pg_catalog.now() at time zone 'UTC')::date";

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

/** The maximum number of fields in the parameter `by`. */
const MAX_GROUP_FIELDS = 2;

/** Makes the endpoint that counts the records of a list by one field or two; docs/decisions/summary.md */
export function defineSummaryEndpoint<const F extends Filters>(shape: SummaryOptions<F>): Endpoint {
  const { of, list, by: words, spans, sums, what, ...where } = shape;
  const name = `${of.name}Summary`;
  const groupColumns = Object.fromEntries([
    ...Object.entries(words).map(([word, stored]) => [word, [stored, of.columns[stored]]]),
    ...Object.entries(spans).flatMap(([word, stored]) =>
      ['month', 'quarter'].map((span) => {
        const key = `${word}_${span}`;
        return [key, [key, definePeriodColumn(span, stored, of.columns[stored]?.kind)]];
      }),
    ),
  ]) as Readonly<Record<string, readonly [name: string, column.Column]>>;
  const countColumns = {
    count: column.readOnlyWithDescription(column.integer, 'How many.', 'count(*)'),
    ...sums,
  };
  const defineGroupRecord = (requested: readonly string[]): RecordDefinition => {
    const requestedColumns: RecordColumns = Object.fromEntries(
      requested.flatMap((word) => (groupColumns[word] ? [groupColumns[word]] : [])),
    );
    return record([name, ...requested].join('-'), of.table, { ...requestedColumns, ...countColumns });
  };
  const rowShapes = new Map<string, RecordDefinition>();
  const [first = '', ...others] = Object.keys(groupColumns);
  const groupSchema = defineGroupRecord([first, ...others]).schema as z.ZodObject;
  const groupFieldSchemas = Object.entries<z.ZodType>(groupSchema.shape).map(([key, rule]) => [
    key,
    key in countColumns ? rule : rule.optional(),
  ]);
  const describedShape: RecordShape = {
    ...defineGroupRecord([first]),
    name,
    schema: z
      .strictObject(Object.fromEntries(groupFieldSchemas) as Record<string, z.ZodType>)
      .meta({ ...groupSchema.meta(), id: name }),
  };
  const query = z.strictObject({
    by: field
      .describeParameter(
        field.distinctListOf(
          field.fieldNameEnum(`${name}Key`, 'What a summary counts by.', [first, ...others]),
          MAX_GROUP_FIELDS,
        ),
        `What is counted by, one or two with a comma between them: a row for each, in its order, which for status is that of the record’s life, and without a value last; ${first} when absent. A month and a quarter are given by their first day, in UTC.`,
      )
      .default([first]),
    ...list.filters.rules,
    limit: field.pageParameters.limit,
    after: field.pageParameters.after,
  });

  function buildSummaryStatement(requested: z.output<typeof query>, caller: Caller): ListQuery {
    const values: StatementParameter[] = [];
    const add = (value: StatementParameter): string => `$${String(values.push(value))}`;
    const { by, after, limit } = requested as { by: readonly string[]; after?: string; limit: number };
    const row = rowShapes.get(by.join()) ?? defineGroupRecord(by);
    rowShapes.set(by.join(), row);
    const groupOrders = by
      .flatMap((word) => (groupColumns[word] ? [groupColumns[word]] : []))
      .map(
        ([key, { kind, states }]): SortOrder => ({
          ...{ column: key, direction: 'asc', type: kind.type, states, hasNulls: column.isNullable(kind) },
        }),
      );
    const summaryCursor = createCursorFormat(
      [of.table, 'by', by.join()],
      groupOrders.map(({ hasNulls }) => hasNulls),
    );
    const filterConditions = list.filters.conditions(requested, caller, add);
    const lastGroupValues = after === undefined ? undefined : summaryCursor.read(after);
    const groupOrderSql = buildUniqueOrderBy(groupOrders);
    // Without `offset 0` the planner would read the rows in the summary's sort order, one client after the other.
    const summarySql = `
select r.*
from (
    select ${row.selectList}
    from public.${of.table} as r
    ${buildWhereClause(filterConditions)}
    group by ${groupOrders.map((_, index) => String(index + 1)).join(', ')}
    offset 0
) as r
${buildWhereClause(lastGroupValues === undefined ? [] : [buildUniqueCursorCondition(groupOrders, lastGroupValues, add)])}
${groupOrderSql}
limit ${add(computeSqlLimit(limit))}`;
    const expandedNames = Object.keys(row.expansion.schemas);
    return {
      records: { text: row.expansion.around(summarySql, expandedNames, groupOrderSql), values },
      limit,
      cursor: (line) => summaryCursor.of(line.slice(0, groupOrders.length)),
      of: row.expansion.shape(row, expandedNames),
    };
  }

  return endpoint({
    ...where,
    ...{ resource: of.table, method: 'get', path: `${where.path}/summary`, of: describedShape, query },
    operationId: `summarize${of.name}s`,
    summary: `Count ${what}, by one field or two`,
    list: ({ query }, caller) => buildSummaryStatement(query, caller),
  });
}

function definePeriodColumn(span: string, stored: string, kind = column.date): column.Column {
  const timeSql = kind.type === 'date' ? `r.${stored}` : `r.${stored} at time zone 'UTC'`;
  return column.readOnlyWithDescription(
    column.nullable(column.date),
    `The first day of the ${span} of ${stored}.`,
    `date_trunc('${span}', ${timeSql})::date`,
  );
}
