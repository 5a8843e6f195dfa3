import { z } from 'zod';
import type { Parameter } from '../db/statement.ts';
import * as field from '../http/fields.ts';
import { SEARCH_WORDS } from '../limits.ts';

export interface Filter<Rule extends z.ZodType = z.ZodType> {
  readonly rule: Rule;
  readonly where: string;
  readonly whereAny?: string | undefined;
  readonly whereNone?: string | undefined;
  /** The condition for false; `where` is for true. No value is passed, so a plan can use an index. */
  readonly whereNot?: string | undefined;
  /** The value is words, each of which passes `where`. `ids` gives the rows that may pass, or null for too many. */
  readonly found?: { readonly ids: string; readonly whereFew: string };
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
  { where, whereAny, whereNone, whereNot, found }: Filter,
  value: unknown,
  add: (value: Parameter) => string,
): string {
  if (whereNot !== undefined) return value === 'true' ? where : whereNot;
  if (found !== undefined) {
    const passed = wordsOf(String(value)).map((word) => where.replaceAll('$', add(word)));
    return passed.length === 0 ? 'true' : passed.join(' and ');
  }
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

/** For a table with `search_text`. */
export function containedInSearchText(...columns: readonly string[]): Filter<z.ZodType<string>> {
  return searching(columns, [has('r.search_text')]);
}

// As in app.words, but for capital letters: Postgres lowers them, by its own rules.
const BETWEEN_WORDS =
  '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u00d7\\u00f7\\u2000-\\u2bff\\u3000-\\u3020]';
const BETWEEN = new RegExp(BETWEEN_WORDS, 'u');
// As in app.searchable: an accent makes no word longer.
const MARKS = /[\u0300-\u036f]/gu;

/** The words of a text, the longest first, at most `SEARCH_WORDS`, without those that begin another: that one has them. */
export function wordsOf(text: string): string[] {
  const words = [...new Set(text.normalize('NFKD').replace(MARKS, '').split(BETWEEN))]
    .filter((word) => word !== '')
    .sort((a, b) => b.length - a.length);
  return words
    .filter((word, index) => !words.slice(0, index).some((longer) => longer.startsWith(word)))
    .slice(0, SEARCH_WORDS);
}

/** A word of the text, a part of `whole`, begins with the value. LIKE is the cheaper one. */
const hasWord = (whole: string, text = whole): string =>
  `${has(whole)} and ${text} ~ (select '(?:^|${BETWEEN_WORDS})' || app.searchable($))`;

/** Words in `search_text`, or in the names of parents, with which their `search_text` begins. */
export function wordsInSearchText(
  columns: readonly string[],
  names: readonly { readonly key: string; readonly table: string; readonly place: string }[],
  ids: string,
): Filter<z.ZodType<string>> {
  const named = hasWord('n.search_text', 'split_part(n.search_text, chr(31), 1)');
  const anyOf = (ofName: (key: string, table: string) => string): string =>
    `(${[hasWord('r.search_text'), ...names.map(({ key, table }) => ofName(key, `public.${table} as n`))].join(' or ')})`;
  const where = anyOf((key, table) => `r.${key} in (select n.id from ${table} where ${named})`);
  // For few rows: their names one by one, not all names.
  const whereFew = anyOf((key, table) => `(select ${named} from ${table} where n.id = r.${key})`);
  const sentence = `Only those that have each of these words, in any order, at the beginning of a word in ${[...columns, ...names.map(({ place }) => place)].join(' or ')}; with their accents or without, in capital letters or small ones. Hyphens, apostrophes and other signs stand between words. Of more than ${SEARCH_WORDS} words the longest count.`;
  return { ...by(SEARCHED, where, sentence), found: { ids, whereFew } };
}
