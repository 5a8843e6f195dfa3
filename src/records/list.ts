import { z } from 'zod';
import type { StatementParameter } from '../db/statement.ts';
import { RequestError } from '../errors.ts';
import { computeSqlLimit, UNLIMITED_ROWS, type ListQuery } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import type { Caller } from '../identity/caller.ts';
import { createListCursor } from './cursor.ts';
import {
  includesNoneFilterValue,
  makeRangeFilters,
  filterByCondition,
  filterConditionSql,
  filtersOf,
  extractSearchWords,
  type Filters,
} from './filters.ts';
import { isNullable, isSortable, type Column } from './column.ts';
import { chooseSelectForm, type TableOwnership } from './list-choice.ts';
import { buildReadThenSortSelect, selectIdsFirst, buildWhereClause, joinNames } from './list-forms.ts';
import { buildCursorCondition, buildOrderBy, type SortOrder, type SortOrders } from './order.ts';
import type { ExpandParameter } from './expansion.ts';
import type { RecordColumns, RecordDefinition } from './record.ts';

interface ListOptions<C extends RecordColumns, F extends Filters> extends TableOwnership {
  readonly of: RecordDefinition<C>;
  /** The time column by which the list is sorted by default, newest first. */
  readonly newest: keyof C & string;
  /** Filters besides those made from the columns; a filter replaces a column's filter of the same name. */
  readonly filters: F;
  /** The names of the filters that have an index and match few rows. */
  readonly selective?: readonly (keyof C | keyof F)[];
  /**
   * The partition column of a log with monthly partitions. No filters or sort orders of a log are made from columns.
   */
  readonly partitionedBy?: keyof C & string;
}

type AddParameter = (value: StatementParameter) => string;

type RulesByFilter<F extends Filters> = { [K in keyof F]: z.ZodOptional<F[K]['rule']> };
type ListQuerySchema<F extends Filters> = z.ZodObject<
  RulesByFilter<F> &
    typeof field.pageParameters & {
      sort: z.ZodType<string[]>;
      fields: ExpandParameter;
      expand: ExpandParameter;
    },
  z.core.$strict
>;

export interface List<F extends Filters> {
  readonly query: ListQuerySchema<F>;
  /** @throws RequestError ERROR_VALIDATION for a cursor of another list or another order */
  statement(query: z.output<ListQuerySchema<F>>, caller: Caller): ListQuery;
  readonly filters: {
    readonly rules: RulesByFilter<F>;
    /** @throws RequestError ERROR_FORBIDDEN for a filter that is not for the caller's role */
    conditions(query: Readonly<Record<string, unknown>>, caller: Caller, add: AddParameter): string[];
  };
}

/**
 * The SQL condition of the filter `updated_from` with sort=updated_at, which also finds records that were committed
 * late; docs/decisions/incremental-sync.md
 */
const CHANGED_SINCE_SQL = `(
        r.updated_at >= $
        or age(r.xmin) between -1000000000 and (select app.age_of(app.oldest_writer_at($)))
    )`;

/** Maps a time column to the filters of every list with this column; docs/decisions/incremental-sync.md */
const TIME_FILTERS: Readonly<Record<string, Filters>> = {
  created_at: makeRangeFilters('created', field.timestamp, 'r.created_at', 'created at this time'),
  uploaded_at: makeRangeFilters('created', field.timestamp, 'r.uploaded_at', 'attached at this time'),
  updated_at: {
    updated_from: filterByCondition(
      field.timestamp,
      'r.updated_at >= $',
      'Only those last changed at this time or later. With sort=updated_at also what was being changed at this time and was stored after it, which may bear an earlier time: whoever keeps a copy walks so, with the highest updated_at that it has, and is given every change at least once.',
    ),
    updated_to: filterByCondition(
      field.timestamp,
      'r.updated_at <= $',
      'Only those last changed at this time or earlier.',
    ),
  },
};

export function list<const C extends RecordColumns, const F extends Filters>(shape: ListOptions<C, F>): List<F> {
  const { of, newest, selective = [] } = shape;
  const fromTableSql = `public.${of.table} as r`;
  const idSource = shape.narrowCopy === undefined ? fromTableSql : `${shape.narrowCopy} as r`;
  const columnNames = Object.keys(of.columns);
  const isPartitionedLog = shape.partitionedBy !== undefined;
  const timeFilters = Object.assign({}, ...columnNames.map((name) => TIME_FILTERS[name] ?? {})) as Filters;
  const columnEntries = Object.entries<Column>(of.columns);
  const columnsWithoutTimes = Object.fromEntries(columnEntries.filter(([name]) => !(name in TIME_FILTERS)));
  const otherFilters: Filters = {
    ...(isPartitionedLog ? {} : filtersOf(columnsWithoutTimes)),
    ...shape.filters,
  };
  const allFilters: Filters = { ...timeFilters, ...otherFilters };
  const sortableReferences = isPartitionedLog ? [] : of.expansion.named.filter(({ label }) => label.name !== undefined);
  const sortableColumns = columnEntries.filter(
    ([name, column]) => !isPartitionedLog && name !== newest && isSortable(column),
  );
  const nullableColumns = columnEntries.flatMap(([name, { kind }]) =>
    isNullable(kind) && !(name in TIME_FILTERS) ? [name] : [],
  );
  const describeFilters = (some: Filters): Record<string, z.ZodType> =>
    Object.fromEntries(
      Object.entries(some).map(([name, { rule, sentence = `Only those with this ${name}.` }]) => [
        name,
        field.describeParameter(rule, sentence).optional(),
      ]),
    );
  const queryParametersSchema = z.strictObject({
    ...field.pageParameters,
    ...describeFilters(timeFilters),
    sort: field.sortParameter(
      `${of.name}Sort`,
      newest,
      ...sortableColumns.map(([name]) => name),
      ...sortableReferences.map(({ as }) => as),
    ),
    ...describeFilters(otherFilters),
    fields: field
      .describeParameter(
        field.distinctListOf(
          field.fieldNameEnum(`${of.name}Field`, 'The fields of the record.', columnNames),
          columnNames.length,
        ),
        'Only these fields of each record, and its id: what the description calls required is there where it is asked for. All when absent.',
      )
      .optional(),
    ...of.expansion.query,
  });

  const buildFilterConditions = (
    asked: Readonly<Record<string, unknown>>,
    { role }: Caller,
    add: AddParameter,
    isForFew = false,
  ): string[] =>
    Object.entries(asked).flatMap(([name, value]) => {
      const requestedFilter = allFilters[name];
      if (requestedFilter === undefined || value === undefined) return [];
      if (requestedFilter.roles?.includes(role) === false)
        throw new RequestError('ERROR_FORBIDDEN', `${role} may not filter by ${name}`, { kind: 'role' });
      const isSortedByChange = name === 'updated_from' && (asked as Partial<PageQuery>).sort?.[0] === 'updated_at';
      const { where, wordSearch } = requestedFilter;
      const conditionTemplate = isSortedByChange
        ? CHANGED_SINCE_SQL
        : isForFew
          ? (wordSearch?.whereFew ?? where)
          : where;
      return [filterConditionSql({ ...requestedFilter, where: conditionTemplate }, value, add)];
    });

  return {
    query: queryParametersSchema as unknown as ListQuerySchema<F>,
    filters: {
      rules: describeFilters(allFilters) as unknown as RulesByFilter<F>,
      conditions: buildFilterConditions,
    },
    statement(said, caller) {
      const pageQuery = said as PageQuery;
      const values: StatementParameter[] = [];
      const add = (value: StatementParameter): string => `$${String(values.push(value))}`;
      const sortReferences = sortableReferences.filter(({ as }) =>
        pageQuery.sort.some((word) => word.replace(/^-/, '') === as),
      );
      const sortOrders = pageQuery.sort.map((word): SortOrder => {
        const column = word.replace(/^-/, '');
        const direction = word.startsWith('-') ? 'desc' : 'asc';
        if (sortReferences.some(({ as }) => as === column))
          return { column: `by_${column}`, direction, type: 'text', hasNulls: true };
        const { kind: { type } = { type: 'text' }, states } = of.columns[column] ?? {};
        return { column, direction, type, states, hasNulls: nullableColumns.includes(column) };
      }) as unknown as SortOrders;
      // For a table with many partitions the limit is in a subselect, so that Postgres reuses the plan: a new plan for
      // each request would take long.
      const addCountParameter = (count: number | null): string =>
        shape.partitionedBy === undefined ? add(count) : `(select ${add(count)}::bigint)`;
      const limit = addCountParameter(computeSqlLimit(pageQuery.limit));
      const filteredClientIds = findFilteredClientIds(shape, pageQuery);
      const requestedWordSearch = pageQuery['q'] === undefined ? undefined : allFilters['q']?.wordSearch;
      const { form, wrapConditions } = chooseSelectForm(
        shape,
        {
          isNarrow: ['client_id', 'id', ...selective]
            .map((name) => pageQuery[String(name)])
            .some((value) => value !== undefined && value !== filteredClientIds && !includesNoneFilterValue(value)),
          isSparse:
            shape.isWide === true &&
            Object.entries(pageQuery).some(
              ([name, value]) =>
                value !== undefined && name in otherFilters && otherFilters[name]?.isUnselective !== true,
            ),
          isByTime: sortOrders.length === 1 && sortOrders[0].column === newest,
          found:
            requestedWordSearch === undefined
              ? undefined
              : () => ({
                  ids: requestedWordSearch.ids.replace('$', add(extractSearchWords(String(pageQuery['q'])))),
                  conditions: buildFilterConditions(pageQuery, caller, add, true),
                }),
          isSortedByClientIndex:
            sortOrders.length === 1 && (shape.clientIndexColumns ?? []).includes(sortOrders[0].column),
          ...pageQuery,
        },
        filteredClientIds === undefined ? caller : { ...caller, clientAccess: filteredClientIds },
        add,
      );
      const filterConditions = buildFilterConditions(pageQuery, caller, add);
      const totalCountSql = `select count(*) from ${idSource} ${buildWhereClause(wrapConditions(filterConditions))}`;
      const joinedNameColumns = sortReferences.map(({ as }) => `by_${as}`);
      const pageCursor = createListCursor(of, pageQuery.sort.join(), sortOrders, joinedNameColumns);
      const afterCursorCondition =
        pageQuery.after === undefined
          ? undefined
          : buildCursorCondition(sortOrders, pageCursor.read(pageQuery.after), add);
      const conditions = wrapConditions(
        afterCursorCondition === undefined ? filterConditions : [...filterConditions, afterCursorCondition],
      );
      // Leaves out an offset of 0, because Postgres would plan a statement with an offset parameter anew for each
      // request.
      const offset = pageQuery.offset === 0 ? undefined : addCountParameter(pageQuery.offset);
      const isUnlimited = pageQuery.limit === UNLIMITED_ROWS;
      const outerSqlTexts = [...conditions, buildOrderBy(sortOrders), ...(isUnlimited ? [of.selectList] : [])];
      const nameQueries =
        joinedNameColumns.length === 0
          ? undefined
          : joinNames(of.table, sortReferences, wrapConditions(filterConditions), outerSqlTexts);
      // A CSV export reads the whole list in one select, which must also return the names by which the list is sorted.
      const columns = [of.selectList, ...(isUnlimited ? joinedNameColumns.map((name) => `r.${name}`) : [])].join(', ');
      const selectSql = (
        nameQueries === undefined
          ? form
          : isUnlimited
            ? buildReadThenSortSelect
            : selectIdsFirst(buildReadThenSortSelect)
      )({
        ...{
          columns,
          from: (isUnlimited && nameQueries?.from) || fromTableSql,
          idSource,
          conditions,
          cursorCondition: afterCursorCondition,
          order: sortOrders,
          limit,
          offset,
        },
        ...{ partitionedBy: shape.partitionedBy, nameQueries },
      });
      const { expand = [] } = pageQuery;
      const pageSql =
        expand.length === 0
          ? selectSql
          : `${of.expansion.around(selectSql, expand, '', isUnlimited)}\n${buildOrderBy(sortOrders)}`;
      const cellCount = of.width + joinedNameColumns.length;
      const shownRecordDefinition = pageQuery.fields === undefined ? of : of.only(pageQuery.fields);
      const hasOnlyOwnColumns = shownRecordDefinition === of && joinedNameColumns.length === 0 && expand.length === 0;
      const pageResultShape = {
        ...{ limit: pageQuery.limit, cursor: pageCursor.of },
        ...(!hasOnlyOwnColumns && {
          of: of.expansion.shape({ ...shownRecordDefinition, width: cellCount }, expand),
        }),
      };
      if (pageQuery.count === undefined) return { records: { text: pageSql, values }, ...pageResultShape };
      // One statement reads total and records, so that both come from one snapshot; an empty list still returns its
      // total.
      const text = `
select r.*, c.total
from (${totalCountSql}) as c (total)
left join (${pageSql}
) as r on true
${buildOrderBy(sortOrders)}`;
      return { records: { text, values }, ...pageResultShape };
    },
  };
}

interface PageQuery extends Readonly<Record<string, unknown>> {
  readonly limit: number;
  readonly offset: number;
  readonly after?: string;
  readonly sort: readonly string[];
  readonly count?: 'exact';
  readonly fields?: readonly string[];
  readonly expand?: readonly string[];
}

/**
 * If the request filters by several clients, returns their ids; the list is then read as for a caller with only these
 * clients.
 */
function findFilteredClientIds({ client }: TableOwnership, asked: PageQuery): readonly string[] | undefined {
  const clientFilter = client === undefined ? undefined : asked[client.replace(/^r\./, '')];
  return Array.isArray(clientFilter) && clientFilter.length > 1 ? (clientFilter as readonly string[]) : undefined;
}
