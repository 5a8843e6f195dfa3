import { z } from 'zod';
import type { Parameter } from '../db/statement.ts';
import { rowsFor, WHOLE, type ListQuery } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import type { Caller } from '../identity/caller.ts';
import { cursorOf } from './cursor.ts';
import { asksForNone, between, by, conditionOf, wordsOf, type Filters } from './filters.ts';
import { formFor, type Ownership } from './list-choice.ts';
import { whereAll } from './list-forms.ts';
import { behind, orderBy, type Order, type Orders } from './order.ts';
import type { Expand } from './expansion.ts';
import type { Columns, Rec } from './record.ts';

interface ListShape<C extends Columns, F extends Filters> extends Ownership {
  readonly of: Rec<C>;
  readonly sorts: readonly [keyof C & string, ...(keyof C & string)[]];
  readonly sortsWithNulls?: readonly (keyof C & string)[];
  readonly filters: F;
  readonly selective?: readonly (keyof F)[];
  readonly partitionedBy?: keyof C & string;
  /** For very many rows: the filters that may leave few rows and have no index. */
  readonly sparse?: readonly (keyof F)[];
}

type Rules<F extends Filters> = { [K in keyof F]: z.ZodOptional<F[K]['rule']> };
type Query<F extends Filters> = z.ZodObject<
  Rules<F> & typeof field.page & { sort: z.ZodType<string[]>; expand: Expand },
  z.core.$strict
>;

export interface List<F extends Filters> {
  readonly query: Query<F>;
  /** @throws RequestError ERROR_VALIDATION for a cursor of another list or another order */
  statement(query: z.output<Query<F>>, caller: Caller): ListQuery;
  readonly filters: {
    readonly rules: Rules<F>;
    conditions(query: Readonly<Record<string, unknown>>, add: (value: Parameter) => string): string[];
  };
}

/** `updated_from` with sort=updated_at: docs/decisions/walks-by-change.md says why no change is missed. */
const CHANGED_SINCE = `(
        r.updated_at >= $
        or age(r.xmin) between -1000000000 and (select app.age_of(app.oldest_writer_at($)))
    )`;

/** Filters of every record with such a column; docs/decisions/walks-by-change.md */
const BY_TIME: Readonly<Record<string, Filters>> = {
  created_at: between('created', field.moment, 'r.created_at', 'created at this time'),
  uploaded_at: between('created', field.moment, 'r.uploaded_at', 'attached at this time'),
  updated_at: {
    updated_from: by(
      field.moment,
      'r.updated_at >= $',
      'Only those last changed at this time or later. With sort=updated_at also what was being changed at this time and was stored after it, which may bear an earlier time: whoever keeps a copy walks so, with the highest updated_at that it has, and is given every change at least once.',
    ),
    updated_to: by(field.moment, 'r.updated_at <= $', 'Only those last changed at this time or earlier.'),
  },
};

export function list<const C extends Columns, const F extends Filters>(shape: ListShape<C, F>): List<F> {
  const { of, sorts, sortsWithNulls = [], selective = [], sparse = [] } = shape;
  const from = `public.${of.table} as r`;
  const names = Object.keys(of.columns);
  const times = Object.assign({}, ...names.map((name) => BY_TIME[name] ?? {})) as Filters;
  const filters: Filters = { ...times, ...shape.filters };
  const rules = (some: Filters): Record<string, z.ZodType> =>
    Object.fromEntries(
      Object.entries(some).map(([name, { rule, sentence = `Only those with this ${name}.` }]) => [
        name,
        field.parameter(rule, sentence).optional(),
      ]),
    );
  const [newest, ...others] = sorts;
  const query = z.strictObject({
    ...field.page,
    ...rules(times),
    sort: field.sortBy(`${of.name}Sort`, newest, ...others, ...sortsWithNulls),
    ...rules(shape.filters),
    ...of.expansion.query,
  });

  const conditionsOf = (
    asked: Readonly<Record<string, unknown>>,
    add: (value: Parameter) => string,
    isForFew = false,
  ): string[] =>
    Object.entries(filters).flatMap(([name, filter]) => {
      const value = asked[name];
      if (value === undefined) return [];
      const isByChange = name === 'updated_from' && (asked as Partial<PageQuery>).sort?.[0] === 'updated_at';
      const { where, found } = filter;
      const fitting = isByChange ? CHANGED_SINCE : isForFew ? (found?.whereFew ?? where) : where;
      return [conditionOf({ ...filter, where: fitting }, value, add)];
    });

  return {
    query: query as unknown as Query<F>,
    filters: { rules: rules(filters) as unknown as Rules<F>, conditions: conditionsOf },
    statement(said, caller) {
      const asked = said as PageQuery;
      const values: Parameter[] = [];
      const add = (value: Parameter): string => `$${String(values.push(value))}`;
      const orders = asked.sort.map((word): Order => {
        const column = word.replace(/^-/, '');
        const { kind: { type } = { type: 'text' }, states } = of.columns[column] ?? {};
        const direction = word.startsWith('-') ? 'desc' : 'asc';
        return { column, direction, type, states, hasNulls: sortsWithNulls.includes(column) };
      }) as unknown as Orders;
      // A plan that sees the number is made anew each time, which takes long for many partitions.
      const addCount = (count: number | null): string =>
        shape.partitionedBy === undefined ? add(count) : `(select ${add(count)}::bigint)`;
      const limit = addCount(rowsFor(asked.limit));
      const clients = severalClients(shape, asked);
      const found = asked['q'] === undefined ? undefined : filters['q']?.found;
      const { form, held } = formFor(
        shape,
        {
          isNarrow: ['client_id', ...selective]
            .map((name) => asked[String(name)])
            .some((value) => value !== undefined && value !== clients && !asksForNone(value)),
          isSparse:
            sparse.some((name) => asked[String(name)] !== undefined) ||
            Object.values(asked).some(asksForNone),
          isByTime: orders.length === 1 && orders[0].column === newest,
          found:
            found === undefined
              ? undefined
              : () => ({
                  ids: found.ids.replace('$', add(wordsOf(String(asked['q'])))),
                  conditions: conditionsOf(asked, add, true),
                }),
          isOfClient: orders.length === 1 && (shape.ofClient ?? []).includes(orders[0].column),
          ...asked,
        },
        clients === undefined ? caller : { ...caller, clientAccess: clients },
        add,
      );
      const conditions = conditionsOf(asked, add);
      const total = `select count(*) from ${from} ${whereAll(held(conditions))}`;
      const cursor = cursorOf(of, asked.sort.join(), orders);
      const beginning = asked.after === undefined ? undefined : behind(orders, cursor.read(asked.after), add);
      if (beginning !== undefined) conditions.push(beginning);
      // With a parameter for the offset the plan is made anew each time.
      const offset = asked.offset === 0 ? undefined : addCount(asked.offset);
      const plain = form({
        columns: of.selected,
        from,
        conditions: held(conditions),
        beginning,
        partitionedBy: shape.partitionedBy,
        order: orders,
        limit,
        offset,
      });
      const { expand = [] } = asked;
      const page =
        expand.length === 0
          ? plain
          : `${of.expansion.around(plain, expand, '', asked.limit === WHOLE)}\n${orderBy(orders)}`;
      const shaped = {
        ...{ limit: asked.limit, cursor: cursor.of },
        ...(expand.length > 0 && { of: of.expansion.shape(of, expand) }),
      };
      if (asked.count === undefined) return { records: { text: page, values }, ...shaped };
      // One statement, so that total and records come from one snapshot; an empty list still has a total.
      const text = `
select r.*, c.total
from (${total}) as c (total)
left join (${page}
) as r on true
${orderBy(orders)}`;
      return { records: { text, values }, ...shaped };
    },
  };
}

interface PageQuery extends Readonly<Record<string, unknown>> {
  readonly limit: number;
  readonly offset: number;
  readonly after?: string;
  readonly sort: readonly string[];
  readonly count?: 'exact';
  readonly expand?: readonly string[];
}

/** Several clients in a filter count as the caller's clients. */
function severalClients({ client }: Ownership, asked: PageQuery): readonly string[] | undefined {
  const named = client === undefined ? undefined : asked[client.replace(/^r\./, '')];
  return Array.isArray(named) && named.length > 1 ? (named as readonly string[]) : undefined;
}
