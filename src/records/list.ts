import { z } from 'zod';
import type { Parameter } from '../db/statement.ts';
import { WHOLE } from '../http/endpoint.ts';
import type { ListQuery } from '../http/endpoint.ts';
import * as field from '../http/fields.ts';
import type { Caller } from '../identity/caller.ts';
import { cursorOf } from './cursor.ts';
import { formFor } from './list-choice.ts';
import type { Ownership } from './list-choice.ts';
import { orderBy, whereAll } from './list-forms.ts';
import type { Order } from './list-forms.ts';
import type { Columns, Rec } from './record.ts';

/** A filter of a list: its rule, and its condition in SQL, in which each `$` stands for the value. */
export interface Filter<Rule extends z.ZodType = z.ZodType> {
  readonly rule: Rule;
  readonly where: string;
  /** What the description says of it; absent where it asks for a field of its own name. */
  readonly sentence?: string | undefined;
}

/** A filter whose value, of that rule, is one side of a condition. */
export function by<Rule extends z.ZodType>(rule: Rule, where: string, sentence?: string): Filter<Rule> {
  return { rule, where, sentence };
}

/** A filter that finds a text in any of these columns, wherever it stands in them. */
export function containedIn(...columns: readonly string[]): Filter<z.ZodType<string>> {
  const pattern = field.text(200).transform((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`);
  return by(
    pattern.meta({ type: 'string', maxLength: 200 }),
    `(${columns.map((column) => `${column} ilike $`).join(' or ')})`,
    `Only those with this text anywhere in ${columns.map((column) => column.replace(/^r\./, '')).join(' or ')}, in capital letters or small ones.`,
  );
}

export type Filters = Readonly<Record<string, Filter>>;

/** What a list is made of. */
interface ListShape<C extends Columns, F extends Filters> extends Ownership {
  readonly of: Rec<C>;
  /** The columns that `sort` may name, the newest first; never null. */
  readonly sorts: readonly [keyof C & string, ...(keyof C & string)[]];
  readonly filters: F;
  /** The filters that leave few rows and have an index of their own. */
  readonly selective?: readonly (keyof F)[];
}

type Rules<F extends Filters> = { [K in keyof F]: z.ZodOptional<F[K]['rule']> };
type Query<F extends Filters> = z.ZodObject<
  Rules<F> & typeof field.page & { sort: z.ZodType<string> },
  z.core.$strict
>;

export interface List<F extends Filters> {
  /** The parameters of the query. */
  readonly query: Query<F>;
  /**
   * Its statement, in the form that is fast for this caller; bench/lists has the measurements. `more` are filters that
   * the path says instead of the query.
   * @throws RequestError ERROR_VALIDATION for a cursor of another list or another order
   */
  statement(query: z.output<Query<F>>, caller: Caller): ListQuery;
}

/** `updated_from` in a walk in the order of change: docs/decisions/walks-by-change.md says why nothing is missed. */
const CHANGED_SINCE = `(
        r.updated_at >= $
        or age(r.xmin) between -1000000000 and (select app.age_of(app.oldest_writer_at($)))
    )`;

/**
 * Filters that every record with such a column has. With `sort=updated_at` those of the second make the walk of a client
 * that keeps a copy: docs/decisions/walks-by-change.md.
 */
const BY_TIME: Readonly<Record<string, Filters>> = {
  created_at: {
    created_from: by(field.moment, 'r.created_at >= $', 'Only those created at this time or later.'),
    created_to: by(field.moment, 'r.created_at <= $', 'Only those created at this time or earlier.'),
  },
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
  const { of, sorts, selective = [] } = shape;
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
    sort: field.sortBy(`${of.name}Sort`, newest, ...others),
    ...rules(shape.filters),
  });

  return {
    query: query as unknown as Query<F>,
    statement(said, caller) {
      const asked = said as PageQuery;
      const values: Parameter[] = [];
      const add = (value: Parameter): string => `$${String(values.push(value))}`;
      const direction = asked.sort.startsWith('-') ? 'desc' : 'asc';
      const order: Order = { column: asked.sort.replace(/^-/, ''), direction };
      const limit = add(asked.limit === WHOLE ? null : asked.limit + 1);
      const { form, held } = formFor(
        shape,
        {
          isNarrow: ['client_id', ...selective].some((name) => asked[String(name)] !== undefined),
          isByTime: order.column === newest,
          ...asked,
        },
        caller,
        add,
      );
      const conditions = Object.entries(filters).flatMap(([name, { where }]) => {
        const value = asked[name] as Parameter | undefined;
        if (value === undefined) return [];
        const isWalk = name === 'updated_from' && asked.sort === 'updated_at';
        return [(isWalk ? CHANGED_SINCE : where).replaceAll('$', add(value))];
      });
      const total = `select count(*) from ${from} ${whereAll(held(conditions))}`;
      const cursor = cursorOf(of, asked.sort, order.column);
      if (asked.after !== undefined) {
        const [value, id] = cursor.read(asked.after);
        const type = of.columns[order.column]?.kind.type ?? 'text';
        const comparison = direction === 'desc' ? '<' : '>';
        conditions.push(`(r.${order.column}, r.id) ${comparison} (${add(value)}::${type}, ${add(id)}::uuid)`);
      }
      // Where nothing is skipped the statement must not say so: with a parameter for it the plan is made anew each time.
      const offset = asked.offset === 0 ? undefined : add(asked.offset);
      const page = form({ columns: of.selected, from, conditions: held(conditions), order, limit, offset });
      if (asked.count === undefined)
        return { records: { text: page, values }, limit: asked.limit, cursor: cursor.of };
      // In one statement, so that the number and the records are of one moment; without records there is a number still.
      const text = `
select r.*, c.total
from (${total}) as c (total)
left join (${page}
) as r on true
${orderBy(order)}`;
      return { records: { text, values }, limit: asked.limit, cursor: cursor.of };
    },
  };
}

interface PageQuery extends Readonly<Record<string, unknown>> {
  readonly limit: number;
  readonly offset: number;
  readonly after?: string;
  readonly sort: string;
  readonly count?: 'exact';
}
