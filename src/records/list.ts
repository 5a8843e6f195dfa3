import { z } from 'zod';
import { RequestError } from '../errors.ts';
import { computeSqlLimit, UNLIMITED_ROWS, type ListQuery } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import type { Caller } from '../identity/caller.ts';
import { createListCursor } from './cursor.ts';
import {
  includesNone,
  makeTimeFilters,
  filterByCondition,
  filterCondition,
  filtersOf,
  extractSearchWords,
  type Filters,
} from './filters.ts';
import { isNullable, isSortable, type Column } from './column.ts';
import { chooseSelectForm, type ListRequest, type TableOwnership } from './list-choice.ts';
import { readThenSort, selectIdsFirst, buildWhereClause, joinNames, type WordSearch } from './list-forms.ts';
import { buildCursorCondition, buildOrderBy, type SortOrder, type SortOrders } from './order.ts';
import type { ExpandParameter } from './expansion.ts';
import { collectParameters, type AddParameter } from './parameters.ts';
import type { RecordColumns, RecordDefinition } from './record.ts';

interface ListOptions<C extends RecordColumns, F extends Filters> extends TableOwnership {
  readonly of: RecordDefinition<C>;
  /** The time column by which the list is sorted by default, newest first. */
  readonly newest: keyof C & string;
  /** Filters besides those made from the columns; a filter replaces a column's filter of the same name. */
  readonly filters: F;
  /** The names of the filters that have an index and match few rows. */
  readonly selective?: readonly (keyof C | keyof F)[];
  /** The partition column of a log with monthly partitions; no filters or sort orders of a log come from columns. */
  readonly partitionedBy?: keyof C & string;
}

type RulesByFilter<F extends Filters> = { [K in keyof F]: z.ZodOptional<F[K]['rule']> };
type QuerySchema<F extends Filters> = z.ZodObject<
  RulesByFilter<F> &
    typeof field.pageParameters & { sort: z.ZodType<string[]>; fields: ExpandParameter; expand: ExpandParameter },
  z.core.$strict
>;

export interface List<F extends Filters> {
  readonly query: QuerySchema<F>;
  /** @throws RequestError ERROR_VALIDATION for a cursor of another list or another order */
  statement(query: z.output<QuerySchema<F>>, caller: Caller): ListQuery;
  readonly filters: {
    readonly rules: RulesByFilter<F>;
    /** @throws RequestError ERROR_FORBIDDEN for a filter that is not for the caller's role */
    conditions(query: Readonly<Record<string, unknown>>, caller: Caller, add: AddParameter): string[];
  };
}

/** With sort=updated_at: finds also records that were committed late; docs/decisions/incremental-sync.md */
const CHANGED_SINCE_SQL = `(
        r.updated_at >= $
        or age(r.xmin) between -1000000000 and (select app.age_of(app.oldest_writer_at($)))
    )`;

/** Maps a time column to the filters of every list with this column; docs/decisions/incremental-sync.md */
const TIME_FILTERS: Readonly<Record<string, Filters>> = {
  created_at: makeTimeFilters('created_at', 'created'),
  uploaded_at: makeTimeFilters('uploaded_at', 'uploaded', { stem: 'created' }),
  updated_at: makeTimeFilters('updated_at', 'last changed', {
    from: {
      ...filterByCondition(
        field.timestamp,
        'r.updated_at >= $',
        'Return only records last changed at or after this time. With sort=updated_at, records that were being changed at this time and were committed later are included, even if their updated_at is earlier. A program that keeps a copy of the list passes the highest updated_at that it has received; it then gets every change at least once.',
      ),
      whereByChange: CHANGED_SINCE_SQL,
    },
  }),
};

export function list<const C extends RecordColumns, const F extends Filters>(shape: ListOptions<C, F>): List<F> {
  const { of, partitionedBy } = shape;
  const isLog = partitionedBy !== undefined;
  const table = `public.${of.table} as r`;
  const idSource = shape.narrowCopy === undefined ? table : `${shape.narrowCopy} as r`;
  const { times, others, references, sorts, nullable } = readColumns(shape);
  const all: Filters = { ...times, ...others };

  return {
    query: createQuerySchema(of, sorts, times, others) as unknown as QuerySchema<F>,
    filters: {
      rules: describeFilters(all) as unknown as RulesByFilter<F>,
      conditions: (query, caller, add) => buildConditions(all, query, caller, add),
    },
    statement(query, caller) {
      const page = query as PageQuery;
      const { values, add } = collectParameters();
      // With many partitions the limit is in a subselect, so that Postgres reuses the plan, which takes long to make.
      const addCount = (count: number | null): string => (isLog ? `(select ${add(count)}::bigint)` : add(count));
      const limit = addCount(computeSqlLimit(page.limit));
      const sort = page.sort.map((word) => nameSort(word, references));
      const named = references.filter(({ as }) => sort.some((word) => word.replace(/^-/, '') === as));
      const names = named.map(({ as }) => `by_${as}`);
      const orders = sort.map((word) => readSortOrder(word, of.columns, nullable, names)) as unknown as SortOrders;
      const clients = findFilteredClients(shape, page);
      const words = page['q'] === undefined ? undefined : all['q']?.wordSearch;
      const found = (ids: string): WordSearch => ({
        ids: ids.replace('$', add(extractSearchWords(String(page['q'])))),
        conditions: buildConditions(all, page, caller, add, true),
      });
      const { form, wrap } = chooseSelectForm(
        shape,
        { ...classifyRequest(shape, page, orders, others), found: words && (() => found(words.ids)) },
        clients === undefined ? caller : { ...caller, clientAccess: clients },
        add,
      );
      const filters = buildConditions(all, page, caller, add);
      const cursor = createListCursor(of, sort.join(), orders, names);
      const after = page.after === undefined ? undefined : buildCursorCondition(orders, cursor.read(page.after), add);
      const conditions = wrap(after === undefined ? filters : [...filters, after]);
      // Leaves out an offset of 0, because Postgres plans a statement with an offset anew for each request.
      const offset = page.offset === 0 ? undefined : addCount(page.offset);
      const isWhole = page.limit === UNLIMITED_ROWS;
      const texts = [...conditions, buildOrderBy(orders), ...(isWhole ? [of.selectList] : [])];
      const joined = names.length === 0 ? undefined : joinNames(of.table, named, wrap(filters), texts);
      const sorted = isWhole ? readThenSort : selectIdsFirst(readThenSort);
      const rows = (joined === undefined ? form : sorted)({
        // A CSV export reads the whole list in one select, which must also return the names by which the list is sorted.
        columns: [of.selectList, ...(isWhole ? names.map((name) => `r.${name}`) : [])].join(', '),
        from: (isWhole && joined?.from) || table,
        idSource,
        conditions,
        after,
        order: orders,
        limit,
        offset,
        partitionedBy,
        names: joined,
      });
      const { expand = [] } = page;
      const shown =
        expand.length === 0 ? rows : `${of.expansion.around(rows, expand, '', isWhole)}\n${buildOrderBy(orders)}`;
      const total = `select count(*) from ${idSource} ${buildWhereClause(wrap(filters))}`;
      const text = page.count === undefined ? shown : selectWithTotal(total, shown, orders);
      return { records: { text, values }, limit: page.limit, cursor: cursor.of, ...shapeOf(of, page, names.length) };
    },
  };
}

/** Makes the filters and sort orders of a list from the record's columns. */
function readColumns<C extends RecordColumns, F extends Filters>({
  of,
  newest,
  partitionedBy,
  filters,
}: ListOptions<C, F>) {
  const isLog = partitionedBy !== undefined;
  const entries = Object.entries<Column>(of.columns);
  const times = Object.assign({}, ...entries.map(([name]) => TIME_FILTERS[name] ?? {})) as Filters;
  const untimed = entries.filter(([name]) => !(name in TIME_FILTERS));
  const others: Filters = { ...(isLog ? {} : filtersOf(Object.fromEntries(untimed))), ...filters };
  const references = isLog ? [] : of.expansion.named.filter(({ label }) => label.name !== undefined);
  const elsewhere = [newest, 'id', ...references.map(({ column }) => column)];
  const sortable = entries.filter(([name, column]) => !isLog && !elsewhere.includes(name) && isSortable(column));
  const sorts = [
    ...[newest, ...sortable.map(([name]) => name), ...(isLog ? [] : ['id'])],
    ...references.flatMap(({ column, as }) => [column, as]),
  ];
  const nullable = untimed.flatMap(([name, { kind }]) => (isNullable(kind) ? [name] : []));
  return { times, others, references, sorts, nullable };
}

function describeFilters(filters: Filters): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, { rule, sentence = `Return only records with this ${name}.`, isAlias }]) => [
      name,
      field.describeParameter(rule, sentence, isAlias).optional(),
    ]),
  );
}

function createQuerySchema(
  { name, columns, expansion }: Pick<RecordDefinition, 'name' | 'columns' | 'expansion'>,
  [newest = '', ...sorts]: readonly string[],
  times: Filters,
  others: Filters,
) {
  const names = Object.keys(columns);
  const fields = field.fieldNameEnum(`${name}Field`, 'Fields of the record.', names);
  return z.strictObject({
    ...field.pageParameters,
    ...describeFilters(times),
    sort: field.sortParameter(`${name}Sort`, newest, ...sorts),
    ...describeFilters(others),
    fields: field
      .describeParameter(
        field.distinctListOf(fields, names.length),
        'Fields to return for each record, besides its id; all fields by default. A field that this description calls required is then present only if it is listed here.',
      )
      .optional(),
    ...expansion.query,
  });
}

/** @throws RequestError ERROR_FORBIDDEN for a filter that is not for the caller's role */
function buildConditions(
  filters: Filters,
  asked: Readonly<Record<string, unknown>>,
  { role }: Caller,
  add: AddParameter,
  isForFew = false,
): string[] {
  const isByChange = (asked as Partial<PageQuery>).sort?.[0] === 'updated_at';
  return Object.entries(asked).flatMap(([name, value]) => {
    const filter = filters[name];
    if (filter === undefined || value === undefined) return [];
    if (filter.roles?.includes(role) === false)
      throw new RequestError('ERROR_FORBIDDEN', `${role} may not filter by ${name}`, { kind: 'role' });
    const usual = (isForFew ? filter.wordSearch?.whereFew : undefined) ?? filter.where;
    const where = (isByChange ? filter.whereByChange : undefined) ?? usual;
    return [filterCondition({ ...filter, where }, value, add)];
  });
}

/** Lists sort by the name of a referenced record, whether `sort` says `client_id` or, as until release 2, `client`. */
function nameSort(word: string, references: readonly { readonly column: string; readonly as: string }[]): string {
  return word.replace(/\w+$/, (name) => references.find(({ column }) => column === name)?.as ?? name);
}

function readSortOrder(
  word: string,
  columns: RecordColumns,
  nullable: readonly string[],
  names: readonly string[],
): SortOrder {
  const column = word.replace(/^-/, '');
  const direction = word.startsWith('-') ? 'desc' : 'asc';
  if (names.includes(`by_${column}`)) return { column: `by_${column}`, direction, type: 'text', hasNulls: true };
  const { kind: { type } = { type: 'text' }, states } = columns[column] ?? {};
  return { column, direction, type, states, hasNulls: nullable.includes(column) };
}

function classifyRequest<C extends RecordColumns, F extends Filters>(
  { selective = [], newest, isWide, clientIndexColumns = [], ...shape }: ListOptions<C, F>,
  page: PageQuery,
  orders: SortOrders,
  others: Filters,
): Omit<ListRequest, 'found'> {
  const clients = findFilteredClients(shape, page);
  const given = Object.entries(page).filter(([name, value]) => value !== undefined && name in others);
  return {
    isNarrow: ['client_id', 'id', ...selective]
      .map((name) => page[String(name)])
      .some((value) => value !== undefined && value !== clients && !includesNone(value)),
    isSparse: isWide === true && given.some(([name]) => others[name]?.isUnselective !== true),
    isByTime: orders.length === 1 && orders[0].column === newest,
    isSortedByClientIndex: orders.length === 1 && clientIndexColumns.includes(orders[0].column),
    limit: page.limit,
    offset: page.offset,
  };
}

/** One statement reads total and records, so that both come from one snapshot; an empty list still returns its total. */
function selectWithTotal(total: string, rows: string, orders: SortOrders): string {
  return `
select r.*, c.total
from (${total}) as c (total)
left join (${rows}
) as r on true
${buildOrderBy(orders)}`;
}

/** Returns the shape of a page's records if it is not that of `of`: with chosen or added columns. */
function shapeOf<C extends RecordColumns>(
  of: RecordDefinition<C>,
  { fields, expand = [] }: PageQuery,
  names: number,
): Pick<ListQuery, 'of'> {
  if (fields === undefined && names === 0 && expand.length === 0) return {};
  const shown = fields === undefined ? of : of.only(fields);
  return { of: of.expansion.shape({ ...shown, width: of.width + names }, expand) };
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

/** A list filtered by several clients is read as for a caller with only these clients. */
function findFilteredClients({ client }: TableOwnership, asked: PageQuery): readonly string[] | undefined {
  const clients = client === undefined ? undefined : asked[client.replace(/^r\./, '')];
  return Array.isArray(clients) && clients.length > 1 ? (clients as readonly string[]) : undefined;
}
