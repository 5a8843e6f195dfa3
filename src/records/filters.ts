import { z } from 'zod';
import type { StatementParameter } from '../db/statement.ts';
import * as field from '../http/fields.ts';
import { INVISIBLE_SIGNS, TYPOGRAPHIC_HYPHENS } from '../http/typed-text.ts';
import { SPECIALIST_ROLES, type Role } from '../identity/caller.ts';
import { MAX_FILTER_IDS, MAX_SEARCH_WORDS } from '../limits.ts';
import { rule, type ProblemRule } from '../problems.ts';
import { findColumnEnum, isNullable, type Column, type ColumnKind } from './column.ts';
import type { AddParameter } from './parameters.ts';

interface Filter<Rule extends z.ZodType = z.ZodType> {
  readonly rule: Rule;
  readonly where: string;
  readonly whereAny?: string | undefined;
  readonly whereNone?: string | undefined;
  /** The SQL condition for the filter value `false`; it has no parameter, so that Postgres can use an index. */
  readonly whereNot?: string | undefined;
  /** True if the filter's value is split into words; a row must then meet the condition `where` for each word. */
  readonly isSplitIntoWords?: true;
  /**
   * The SQL of a search in the word index. The query `ids` returns the ids of rows that may match, or null if there are
   * too many. On few rows, Postgres tests the condition `whereFew` faster than `where`.
   */
  readonly wordSearch?: { readonly ids: string; readonly whereFew: string };
  readonly sentence?: string | undefined;
  /** True if so many rows usually match the filter that Postgres finds a page of them quickly. */
  readonly isUnselective?: boolean;
  /** The SQL condition if the list is sorted by updated_at. */
  readonly whereByChange?: string;
  /** True for a name of release 2 that still works. */
  readonly isAlias?: boolean;
  /** The roles that may use the filter; all roles when absent. */
  readonly roles?: readonly Role[];
}

export type Filters = Readonly<Record<string, Filter>>;

export function filterByCondition<Rule extends z.ZodType>(rule: Rule, where: string, sentence?: string): Filter<Rule> {
  return { rule, where, sentence };
}

export function filterByAny<Rule extends z.ZodType>(
  rule: Rule,
  where: string,
  sentence?: string,
  whereAny = where.replace('= $', '= any ($)'),
): Filter<z.ZodType<z.output<Rule>[]>> {
  return { rule: field.distinctListOf(rule), where, whereAny, sentence };
}

export function filterByBoolean(column: string, sentence: string): Filter<typeof field.booleanParameter> {
  return { ...filterByCondition(field.booleanParameter, column, sentence), whereNot: `not ${column}` };
}

const NONE = 'none';

interface ValueFormat {
  readonly of: z.ZodType;
  readonly broken: ProblemRule;
  readonly form: string;
}

const UUID_FORMAT: ValueFormat = {
  of: field.uuid,
  broken: rule('not_a_uuid.or_none'),
  form: '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}',
};

/** A filter by a nullable column: the word `none` asks for the rows without a value. */
export function filterByAnyOrNone(
  column: string,
  sentence: string,
  { of, broken, form }: ValueFormat = UUID_FORMAT,
): Filter<z.ZodType<string[]>> {
  // OpenAPI describes the value as one string with a pattern, because generators of API clients cannot use a union.
  const either = z
    .string(broken)
    .refine((value) => value === NONE || of.safeParse(value).success, broken)
    .transform((value) => (value === NONE ? value : String(of.parse(value))))
    .meta({ type: 'string', pattern: `^(?:${NONE}|${form})$` });
  return { ...filterByAny(either, `${column} = $`, sentence), whereNone: `${column} is null` };
}

const COMMUNE_FORMAT: ValueFormat = {
  of: field.communeCode,
  broken: rule('not_a_commune_code.or_none'),
  form: '[0-9]{5}|2[AB][0-9]{3}',
};

const IN_COMMUNES = (codes: string): string => `r.commune_code = any ((select app.related_communes(${codes}))::text[])`;

/** Makes a filter that also finds the arrondissements of a city, a merged commune's new code, and the other way round. */
export function filterByCommune({ orNone }: { readonly orNone: boolean }): Filter<z.ZodType<string[]>> {
  const related =
    'The code of a city also matches its arrondissements, and the code of a merged commune its former communes, and the other way round.';
  const [where, whereAny] = [IN_COMMUNES('array[$]'), IN_COMMUNES('$')];
  if (!orNone)
    return filterByAny(field.communeCode, where, `Return only records with this commune_code. ${related}`, whereAny);
  const sentence = `Return only records with this commune_code; \`none\` for records without one. ${related}`;
  return { ...filterByAnyOrNone('r.commune_code', sentence, COMMUNE_FORMAT), where, whereAny };
}

export function includesNone(value: unknown): boolean {
  return [value].flat().includes(NONE);
}

const WHOLE_NUMBER_RANGE = [0, 2_147_483_647] as const;

/** Makes the filters of a list from the types of the record's columns; docs/decisions/filters-from-columns.md */
export function filtersOf(columns: Readonly<Record<string, Column>>): Filters {
  const stored = Object.entries(columns).filter(([, { sql }]) => sql === undefined);
  return Object.assign({}, ...stored.map(([name, column]) => filtersOfColumn(name, column))) as Filters;
}

function filtersOfColumn(name: string, { kind, states, onChange }: Column): Filters {
  const column = `r.${name}`;
  const words = findColumnEnum(kind);
  const stem = name.replace(/_(?:at|date)$/, '');
  const none: Filters = isNullable(kind)
    ? {
        [name]: filterByCondition(
          noneFilterEnum,
          `${column} is null`,
          `With \`none\`, return only records without ${name}.`,
        ),
      }
    : {};
  const sentence = `Return only records with this ${name}; \`none\` for records without one.`;
  if (name === 'id') return { id: idFilter };
  if (words !== undefined) {
    const sentence = `Exclude records with this ${name}.`;
    const not = filterByAny(words, `${column} <> $`, sentence, `${column} <> all ($)`);
    return {
      [name]: { ...filterByAny(words, `${column} = $`), isUnselective: true },
      ...(states && { [`not_${name}`]: { ...not, isUnselective: true } }),
    };
  }
  switch (kind.type) {
    case 'uuid':
      return {
        [name]: isNullable(kind) ? filterByAnyOrNone(column, sentence) : filterByAny(field.uuid, `${column} = $`),
      };
    case 'boolean':
      return { [name]: filterByBoolean(column, `Return only records whose ${name} has this value.`) };
    case 'date':
      return {
        ...none,
        ...withAliases(stem, makeRangeFilters(name, field.date, column, `whose ${name} is`, DAY_BOUNDS)),
      };
    case 'timestamptz':
      return { ...none, ...makeTimeFilters(name, `whose ${name} is`) };
    case 'numeric':
      return { ...none, ...makeAmountFilters(name, kind) };
    case 'integer': {
      const [least, most] = readNumberBounds(onChange);
      const of = field.integerParameter(least, most);
      const broken = rule('not_a_whole_number.or_none', { min: least, max: most });
      const equal = isNullable(kind)
        ? filterByAnyOrNone(column, `${sentence} A whole number from ${least} to ${most}, or \`none\`.`, {
            of,
            broken,
            form: '[0-9]{1,10}',
          })
        : filterByAny(of, `${column} = $`);
      return { [name]: equal, ...makeRangeFilters(name, of, column, `whose ${name} is`, NUMBER_BOUNDS) };
    }
    case 'text':
      return none;
    default:
      return {};
  }
}

const noneFilterEnum = field.enumOf('None');

const idFilter: Filter = {
  rule: field.distinctListOf(field.uuid, MAX_FILTER_IDS),
  where: 'r.id = $',
  whereAny: 'r.id = any ($)',
  sentence: `Return only records with one of these ids, at most ${MAX_FILTER_IDS}. Records that the caller may not see are left out.`,
};

function readNumberBounds(rule: z.ZodType | undefined): readonly [number, number] {
  let inner = rule;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap() as z.ZodType;
  return inner instanceof z.ZodNumber ? [inner.minValue ?? 0, inner.maxValue ?? 0] : WHOLE_NUMBER_RANGE;
}

/**
 * Selects the records of the clients to which a partner is linked. The caller sees only the links of the caller's own
 * clients; a caller with role CLIENT sees no partner.
 */
export function filterByPartner(client: string): Filter<z.ZodType<string[]>> {
  const links = `select l.client_id from public.client_partners as l where l.partner_id`;
  return {
    ...filterByAny(
      field.uuid,
      `${client} = any (array(${links} = $))`,
      'Return only records of clients that are linked to this partner. Not available to the role CLIENT.',
      `${client} = any (array(${links} = any ($)))`,
    ),
    roles: SPECIALIST_ROLES,
  };
}

export function filterCondition(
  { where, whereAny, whereNone, whereNot, isSplitIntoWords }: Filter,
  value: unknown,
  add: AddParameter,
): string {
  if (whereNot !== undefined) return value === 'true' ? where : whereNot;
  if (isSplitIntoWords) {
    const words = extractSearchWords(String(value)).map((word) => where.replaceAll('$', add(word)));
    return words.length === 0 ? 'true' : words.join(' and ');
  }
  if (whereAny === undefined)
    return where.includes('$') ? where.replaceAll('$', add(value as StatementParameter)) : where;
  const values = (value as readonly unknown[]).map(String);
  const nulls = whereNone !== undefined && values.includes(NONE) ? [whereNone] : [];
  const [one, ...more] = whereNone === undefined ? values : values.filter((each) => each !== NONE);
  if (one === undefined) return nulls.join();
  const condition = more.length === 0 ? where.replaceAll('$', add(one)) : whereAny.replaceAll('$', add([one, ...more]));
  return nulls.length === 0 ? condition : `(${[...nulls, condition].join(' or ')})`;
}

type RangeFilters<Name extends string, Rule extends z.ZodType> = Readonly<
  Record<`${Name}_from` | `${Name}_to`, Filter<Rule>>
>;

const TIME_BOUNDS = ['at or after this time', 'at or before this time'] as const;
const DAY_BOUNDS = ['on or after this day', 'on or before this day'] as const;
const NUMBER_BOUNDS = ['at least this number', 'at most this number'] as const;

/** Both filters include the given value; `what` becomes part of their OpenAPI descriptions. */
export function makeRangeFilters<const Name extends string, Rule extends z.ZodType>(
  name: Name,
  rule: Rule,
  column: string,
  what: string,
  [least, most]: readonly [string, string] = TIME_BOUNDS,
): RangeFilters<Name, Rule> {
  return {
    [`${name}_from`]: filterByCondition(rule, `${column} >= $`, `Return only records ${what} ${least}.`),
    [`${name}_to`]: filterByCondition(rule, `${column} <= $`, `Return only records ${what} ${most}.`),
  } as RangeFilters<Name, Rule>;
}

/** Adds the names of release 2, which began with `stem` instead of the whole name of the column. */
function withAliases(stem: string, filters: Filters): Filters {
  const aliases = Object.entries(filters).flatMap(([name, filter]) => {
    const alias = name.replace(/^.*(?=_(?:from|to)$)/, stem);
    return alias === name ? [] : [[alias, { ...filter, sentence: `Former name of ${name}.`, isAlias: true }]];
  });
  return { ...filters, ...(Object.fromEntries(aliases) as Filters) };
}

/** Makes the filters of a time; the later bound includes its whole millisecond, because responses show no more. */
export function makeTimeFilters(
  name: string,
  what: string,
  { stem = name.replace(/_at$/, ''), from }: { readonly stem?: string; readonly from?: Filter } = {},
): Filters {
  const column = `r.${name}`;
  const range = makeRangeFilters(name, field.timestamp, column, what);
  const { sentence } = (range as Filters)[`${name}_to`] ?? {};
  return withAliases(stem, {
    ...range,
    ...(from && { [`${name}_from`]: from }),
    [`${name}_to`]: filterByCondition(field.timestampToInclude, `${column} <= $`, sentence),
  });
}

const LARGEST_AMOUNT = '9999999999.99';

function makeAmountFilters(name: string, { isPercent }: ColumnKind): Filters {
  const maximum = isPercent ? field.MAX_PERCENT : LARGEST_AMOUNT;
  const form = `(0 to ${maximum}, at most two decimal places)`;
  return makeRangeFilters(name, field.amountParameter(maximum), `r.${name}`, `whose ${name} is`, [
    `at least this number ${form}`,
    `at most this number ${form}`,
  ]);
}

const searchText = field.text(200);

function makeTextFilter(places: readonly string[], conditions: readonly string[]): Filter<z.ZodType<string>> {
  return filterByCondition(
    searchText,
    `(${conditions.join(' or ')})`,
    `Return only records with this text anywhere in ${places.join(' or ')}, ignoring case and accents.`,
  );
}

/** The hyphens that a search reads as `-`, and the signs that it ignores: also the joiners, which typed text may keep. */
const READ_SIGNS = [...TYPOGRAPHIC_HYPHENS, ...INVISIBLE_SIGNS, '200C', '200D'];

const readSigns = (text: string): string =>
  `translate(${text}, U&'${READ_SIGNS.map((code) => `\\${code}`).join('')}', '${'-'.repeat(TYPOGRAPHIC_HYPHENS.length)}')`;

/** Matches stored texts in which `contains` reads more than their letters. */
const UNREAD = `'\\s\\s|[\\t-\\r${READ_SIGNS.map((code) => `\\u${code}`).join('')}]'`;

/** The LIKE pattern for texts that contain the filter's value; Postgres computes the pattern once for a statement. */
const LIKE_PATTERN = `(select '%' || regexp_replace(${readSigns('app.searchable($)')}, '([\\\\%_])', '\\\\\\1', 'g') || '%')`;

const isLike = (text: string): string => `${text} like ${LIKE_PATTERN}`;

/**
 * Texts of several lines, and texts of earlier releases, may have runs of blanks, line breaks and signs without width.
 * Reading each text would take ten times as long as a search among texts that need no reading.
 */
const contains = (text: string): string =>
  `${isLike(text)} or ${text} ~ ${UNREAD} and ${isLike(`regexp_replace(${readSigns(text)}, '\\s{2,}|[\\t-\\r]', ' ', 'g')`)}`;

export function filterByText(...columns: readonly string[]): Filter<z.ZodType<string>> {
  return makeTextFilter(
    columns.map((column) => column.replace(/^r\./, '')),
    columns.map((column) => contains(`coalesce(${searchable(column)}, '')`)),
  );
}

/** For ASCII text lower() does the same as app.searchable() in a tenth of the time. */
function searchable(column: string): string {
  return `case when octet_length(${column}) = length(${column}) then lower(${column}) else app.searchable(${column}) end`;
}

export function filterBySearchText(...columns: readonly string[]): Filter<z.ZodType<string>> {
  return makeTextFilter(columns, [contains('r.search_text')]);
}

// The word separators of the database function app.words, but without A to Z: app.words gets only lower-case text.
const WORD_SEPARATORS =
  '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u00d7\\u00f7\\u2000-\\u2bff\\u3000-\\u3020\\ufe00-\\ufe0f\\ufeff\\U0001f000-\\U0001faff]';
const WORD_SEPARATOR = new RegExp(WORD_SEPARATORS.replace(/\\U(\w{8})/g, '\\u{$1}'), 'u');
// Accents do not count in the length of a word, as in the database function app.searchable.
const ACCENT_PATTERN = /[\u0300-\u036f]/gu;

/** Returns the longest words, at most `MAX_SEARCH_WORDS`, without those that are the beginning of a longer word. */
export function extractSearchWords(text: string): string[] {
  const words = [...new Set(text.normalize('NFKD').replace(ACCENT_PATTERN, '').split(WORD_SEPARATOR))]
    .filter((word) => word !== '')
    .sort((a, b) => b.length - a.length);
  return words
    .filter((word, index) => !words.slice(0, index).some((longer) => longer.startsWith(word)))
    .slice(0, MAX_SEARCH_WORDS);
}

/**
 * Returns the SQL condition that a word in the column `text` begins with the filter's value. The condition tests LIKE
 * on `whole`, which contains `text`, before the slower regular expression.
 */
const hasWord = (whole: string, text = whole): string =>
  `${isLike(whole)} and ${text} ~ (select '(?:^|${WORD_SEPARATORS})' || app.searchable($))`;

/** Makes a filter for words in a record's `search_text` or in the name of a parent record. */
export function filterBySearchTextWords(
  columns: readonly string[],
  names: readonly { readonly key: string; readonly table: string; readonly place: string }[],
  ids: string,
): Filter<z.ZodType<string>> {
  const named = hasWord('n.search_text', 'split_part(n.search_text, chr(31), 1)');
  const join = (ofName: (key: string, table: string) => string): string =>
    `(${[hasWord('r.search_text'), ...names.map(({ key, table }) => ofName(key, `public.${table} as n`))].join(' or ')})`;
  const where = join((key, table) => `r.${key} in (select n.id from ${table} where ${named})`);
  // For few rows, Postgres looks up the name of each row's parent, instead of searching the names of all parents.
  const whereFew = join((key, table) => `(select ${named} from ${table} where n.id = r.${key})`);
  const places = [...columns, ...names.map(({ place }) => place)];
  return { ...makeWordFilter(where, places), wordSearch: { ids, whereFew } };
}

/** Makes a filter for words in a column whose searchable text the database does not store. */
export function filterByWords(column: string): Filter<z.ZodType<string>> {
  return makeWordFilter(hasWord(searchable(column)), [column.replace(/^r\./, '')]);
}

function makeWordFilter(where: string, places: readonly string[]): Filter<z.ZodType<string>> {
  const sentence = `Search words, in any order: return only records with a word that begins with each of them in ${places.join(' or ')}, ignoring case and accents. Hyphens, apostrophes and other punctuation marks separate words. Of more than ${MAX_SEARCH_WORDS} words, the longest ${MAX_SEARCH_WORDS} are used.`;
  return { ...filterByCondition(searchText, where, sentence), isSplitIntoWords: true };
}
