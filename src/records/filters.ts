import { z } from 'zod';
import type { Parameter } from '../db/statement.ts';
import * as field from '../http/fields.ts';

export interface Filter<Rule extends z.ZodType = z.ZodType> {
  readonly rule: Rule;
  readonly where: string;
  readonly whereAny?: string | undefined;
  readonly whereNone?: string | undefined;
  /** The condition for false; `where` is for true. No value is passed, so a plan can use an index. */
  readonly whereNot?: string | undefined;
  readonly sentence?: string | undefined;
}

export type Filters = Readonly<Record<string, Filter>>;

export function by<Rule extends z.ZodType>(rule: Rule, where: string, sentence?: string): Filter<Rule> {
  return { rule, where, sentence };
}

export function byAny<Rule extends z.ZodType>(
  rule: Rule,
  where: string,
  sentence?: string,
  whereAny = where.replace('= $', '= any ($)'),
): Filter<z.ZodType<z.output<Rule>[]>> {
  return { rule: field.several(rule), where, whereAny, sentence };
}

export function byTruth(column: string, sentence: string): Filter<typeof field.flag> {
  return { ...by(field.flag, column, sentence), whereNot: `not ${column}` };
}

const NONE = 'none';

/** A filter by an id that may be null: the word `none` asks for the rows without one. */
export function byAnyOrNone(column: string, sentence: string): Filter<z.ZodType<string[]>> {
  const rule = z.union([z.literal(NONE), z.guid('must be a UUID, or none').toLowerCase()]);
  // Generators of clients cannot use a union without one type.
  const described = rule.meta({
    type: 'string',
    pattern: `^(?:${NONE}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$`,
  });
  return { ...byAny(described, `${column} = $`, sentence), whereNone: `${column} is null` };
}

export function asksForNone(value: unknown): boolean {
  return Array.isArray(value) && value.includes(NONE);
}

export function conditionOf(
  { where, whereAny, whereNone, whereNot }: Filter,
  value: unknown,
  add: (value: Parameter) => string,
): string {
  if (whereNot !== undefined) return value === 'true' ? where : whereNot;
  if (whereAny === undefined) return where.replaceAll('$', add(value as Parameter));
  const values = (value as readonly unknown[]).map(String);
  const withNone = whereNone !== undefined && values.includes(NONE) ? [whereNone] : [];
  const [one, ...more] = whereNone === undefined ? values : values.filter((each) => each !== NONE);
  if (one === undefined) return withNone.join();
  const some =
    more.length === 0 ? where.replaceAll('$', add(one)) : whereAny.replaceAll('$', add([one, ...more]));
  return withNone.length === 0 ? some : `(${[...withNone, some].join(' or ')})`;
}

type Range<Name extends string, Rule extends z.ZodType> = Readonly<
  Record<`${Name}_from` | `${Name}_to`, Filter<Rule>>
>;

/** Two filters, `…_from` and `…_to`; both include the value. `what` begins their sentences. */
export function between<const Name extends string, Rule extends z.ZodType>(
  name: Name,
  rule: Rule,
  column: string,
  what: string,
  [more, less]: readonly [string, string] = ['or later', 'or earlier'],
): Range<Name, Rule> {
  return {
    [`${name}_from`]: by(rule, `${column} >= $`, `Only those ${what} ${more}.`),
    [`${name}_to`]: by(rule, `${column} <= $`, `Only those ${what} ${less}.`),
  } as Range<Name, Rule>;
}

export function amountBetween<const Name extends string>(
  name: Name,
  maximum: string,
): Range<Name, z.ZodType<string>> {
  const rule = `a decimal from 0 to ${maximum} with at most two places`;
  return between(name, field.amount(maximum), `r.${name}`, `whose ${name} is this`, [
    `or more; ${rule}`,
    `or less; ${rule}`,
  ]);
}

const SEARCHED = field.text(200);

function searching(places: readonly string[], conditions: readonly string[]): Filter<z.ZodType<string>> {
  return by(
    SEARCHED,
    `(${conditions.join(' or ')})`,
    `Only those with this text anywhere in ${places.join(' or ')}, with its accents or without, in capital letters or small ones.`,
  );
}

/** The LIKE pattern that matches the value anywhere in a text; computed once for a statement. */
const PATTERN = `(select '%' || regexp_replace(app.searchable($), '([\\\\%_])', '\\\\\\1', 'g') || '%')`;

const has = (text: string): string => `${text} like ${PATTERN}`;

export function containedIn(...columns: readonly string[]): Filter<z.ZodType<string>> {
  return searching(
    columns.map((column) => column.replace(/^r\./, '')),
    columns.map((column) => has(`coalesce(${searchable(column)}, '')`)),
  );
}

/** ASCII text needs no call of the function, which takes ten times as long. */
function searchable(column: string): string {
  return `case when octet_length(${column}) = length(${column}) then lower(${column}) else app.searchable(${column}) end`;
}

/** For a table with `search_text`, which begins with its name. `names` are parents whose name is searched as well. */
export function containedInSearchText(
  columns: readonly string[],
  names: readonly { readonly key: string; readonly table: string; readonly place: string }[] = [],
): Filter<z.ZodType<string>> {
  return searching(
    [...columns, ...names.map(({ place }) => place)],
    [
      has('r.search_text'),
      ...names.map(
        ({ key, table }) =>
          `r.${key} in (select n.id from public.${table} as n where ${has(`split_part(n.search_text, chr(31), 1)`)})`,
      ),
    ],
  );
}
