import { z } from 'zod';
import type { Parameter } from '../db/statement.ts';
import * as field from '../http/fields.ts';

/** A filter of a list: its rule, and its condition in SQL, in which each `$` stands for the value. */
export interface Filter<Rule extends z.ZodType = z.ZodType> {
  readonly rule: Rule;
  readonly where: string;
  /** The condition for several values, in which each `$` stands for their array; `where` is that for one of them. */
  readonly whereAny?: string | undefined;
  /** The condition for the word `none`, which may stand among several values. */
  readonly whereNone?: string | undefined;
  /** The condition for false, where the value stands in neither: a plan then knows which it is. */
  readonly whereNot?: string | undefined;
  /** What the description says of it; absent where it asks for a field of its own name. */
  readonly sentence?: string | undefined;
}

export type Filters = Readonly<Record<string, Filter>>;

/** A filter whose value, of that rule, is one side of a condition. */
export function by<Rule extends z.ZodType>(rule: Rule, where: string, sentence?: string): Filter<Rule> {
  return { rule, where, sentence };
}

/** The same with one value or several; `whereAny` where `where` does not compare with `= $`. */
export function byAny<Rule extends z.ZodType>(
  rule: Rule,
  where: string,
  sentence?: string,
  whereAny = where.replace('= $', '= any ($)'),
): Filter<z.ZodType<z.output<Rule>[]>> {
  return { rule: field.several(rule), where, whereAny, sentence };
}

/** A filter of a truth value, as its column has it. Each way has a text of its own, so that an index of one way serves. */
export function byTruth(column: string, sentence: string): Filter<typeof field.flag> {
  return { ...by(field.flag, column, sentence), whereNot: `not ${column}` };
}

const NONE = 'none';

/** A filter by the id in a column that may have none, of which the word `none` asks for the rows without. */
export function byAnyOrNone(column: string, sentence: string): Filter<z.ZodType<string[]>> {
  const rule = z.union([z.literal(NONE), z.guid('must be a UUID, or none').toLowerCase()]);
  // One type with a pattern: of a choice without a type beside it tools make anything, or nothing.
  const described = rule.meta({
    type: 'string',
    pattern: `^(?:${NONE}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$`,
  });
  return { ...byAny(described, `${column} = $`, sentence), whereNone: `${column} is null` };
}

/** Whether the value of a filter asks for rows that have none. */
export function asksForNone(value: unknown): boolean {
  return Array.isArray(value) && value.includes(NONE);
}

/** The condition of a filter for the value that its rule has given. */
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

/** Two filters, `…_from` and `…_to`, both of which the value itself passes; `what` begins their sentences. */
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

/** The same of amounts. */
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

/** What `like` finds the value by, wherever it stands; worked out once for a statement. */
const PATTERN = `(select '%' || regexp_replace(app.searchable($), '([\\\\%_])', '\\\\\\1', 'g') || '%')`;

/** A condition: the text, which is as `app.searchable` writes it, has the value somewhere. */
const has = (text: string): string => `${text} like ${PATTERN}`;

/** A filter that finds a text in any of these columns, wherever it stands in them, with or without accents and case. */
export function containedIn(...columns: readonly string[]): Filter<z.ZodType<string>> {
  return searching(
    columns.map((column) => column.replace(/^r\./, '')),
    columns.map((column) => has(`coalesce(${searchable(column)}, '')`)),
  );
}

/** What is in plain letters needs no call, which takes ten times as long. */
function searchable(column: string): string {
  return `case when octet_length(${column}) = length(${column}) then lower(${column}) else app.searchable(${column}) end`;
}

/**
 * The same where the table keeps its texts as they are searched, in `search_text`. `names` are the names of what the
 * row belongs to, by the column that points at it: the first text that its table keeps.
 */
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
