import { z } from 'zod';
import { isEmail } from '../identity/email.ts';
import { MAX_CURSOR_CHARACTERS, MAX_FILTER_VALUES } from '../limits.ts';
import { rule, formatProblemText, type ProblemRule } from '../problems.ts';
import {
  ENUM_DESCRIPTIONS,
  ENUM_LABELS,
  buildFieldLabel,
  type BilingualLabel,
  type BilingualLabels,
} from '../words.ts';
import { readCode, readLine, readParagraphs } from './typed-text.ts';

/* Validation rules for fields that several resources share. */

export const uuid = z.guid(rule('not_a_uuid')).toLowerCase();

/** A digest as hexadecimal digits, which some programs write in capitals. */
export const sha256 = z.string(rule('not_a_sha256')).regex(/^[0-9A-Fa-f]{64}$/, rule('not_a_sha256'));

export function nonBlankText(longest: number): z.ZodType<string> {
  return refuseBlank(text(longest), longest);
}

export function nonBlankParagraphs(longest: number): z.ZodType<string> {
  return refuseBlank(paragraphs(longest), longest);
}

function refuseBlank(of: z.ZodType<string>, longest: number): z.ZodType<string> {
  return of.refine((value) => value !== '', rule('blank')).meta({ minLength: 1, maxLength: longest, pattern: '\\S' });
}

/** Text of one line that people type. */
export function text(longest: number): z.ZodType<string> {
  return textReadBy(readLine, longest);
}

/** Text of several lines that people type. */
function paragraphs(longest: number): z.ZodType<string> {
  return textReadBy(readParagraphs, longest);
}

/** Text that a program wrote, such as the name of a file. */
export function exactText(longest: number): z.ZodType<string> {
  return textReadBy((value) => value, longest);
}

/** A number in groups for a filter, which a filter compares without checking it. */
export function codeText(longest: number): z.ZodType<string> {
  return textReadBy(readCode, longest);
}

/** A number that people write in groups of digits. */
export function code(broken: ProblemRule): z.ZodString {
  return z.string(broken).overwrite(readCode);
}

/** Counts the characters of a text as code points, as Postgres does. */
function textReadBy(read: (value: string) => string, longest: number): z.ZodType<string> {
  const fits = (value: string) => value.length <= longest || Array.from(value).length <= longest;
  return z
    .string(rule('not_text.up_to', { max: longest }))
    .overwrite(read)
    .refine(fits, rule('too_long', { max: longest }))
    .meta({ maxLength: longest });
}

export const longText = paragraphs(10_000);

/** An email loses the blanks around it, and is refused with signs that nobody sees: mails go where it says. */
const emailText = textReadBy((value) => value.trim(), 255);

export const email = emailText
  .refine(isEmail, rule('not_an_email'))
  .meta({ format: 'email', maxLength: 255, pattern: z.regexes.email.source });

type EnumValue<N extends keyof typeof ENUM_LABELS> = keyof (typeof ENUM_LABELS)[N] & string;

const CONTACT_EMAIL_PATTERN =
  /^(?:[\p{L}\p{M}\p{N}_'+-]+\.)*[\p{L}\p{M}\p{N}_'+-]*[\p{L}\p{M}\p{N}_+-]@(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*\.)+(?:\p{L}[\p{L}\p{M}]+|[Xx][Nn]--[A-Za-z0-9-]+)$/u;

/** The email of a contact may have letters of every alphabet. The email of a user is ASCII, because it identifies. */
export const contactEmail = emailText
  .refine((value) => CONTACT_EMAIL_PATTERN.test(value), rule('not_an_email'))
  .meta({
    maxLength: 255,
    // Not every language that clients are generated for knows the classes of CONTACT_EMAIL_PATTERN.
    pattern: '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$',
    description: 'An email address; non-ASCII letters are allowed.',
  });

export function enumOf<const N extends keyof typeof ENUM_LABELS>(name: N): z.ZodEnum<{ [K in EnumValue<N>]: K }> {
  const labels: BilingualLabels = ENUM_LABELS[name];
  const values = Object.entries(labels).map(([word, [french]]) => `${word} (${french})`);
  const description = `${ENUM_DESCRIPTIONS[name]} ${values.join(', ')}.`;
  return labelledEnum(name, description, labels as Record<EnumValue<N>, BilingualLabel>);
}

export function fieldNameEnum<const T extends string>(
  name: string,
  about: string,
  fields: readonly T[],
): z.ZodEnum<{ [K in T]: K }> {
  const labels = Object.fromEntries(fields.map((field) => [field, buildFieldLabel(field)]));
  return labelledEnum(name, about, labels as Record<T, BilingualLabel>);
}

/** An enum with its French and English labels, which `GET /api/words` also returns. */
export function labelledEnum<const T extends string>(
  id: string,
  description: string,
  words: Readonly<Record<T, BilingualLabel>>,
): z.ZodEnum<{ [K in T]: K }> {
  const values = Object.keys(words) as T[];
  const labels = Object.entries<BilingualLabel>(words).map(([word, [fr, en]]) => [word, { fr, en }] as const);
  return z
    .enum(values, rule(values.length === 1 ? 'not_one_of.only' : 'not_one_of', { values }))
    .meta({ id, description, 'x-enum-labels': Object.fromEntries(labels) });
}

const EARLIEST_DATE = '1900-01-01';
const LATEST_DATE = '2200-12-31';
const EARLIEST_TIMESTAMP = `${EARLIEST_DATE}T00:00:00Z`;
const LATEST_TIMESTAMP = `${LATEST_DATE}T23:59:59.999Z`;
const OUT_OF_RANGE_RULE = rule('out_of_range', { min: 1900, max: 2200 });

export const timestamp = z.iso
  .datetime({ offset: true, error: rule('not_a_time'), abort: true })
  .refine((value) => !value.startsWith('0000'), rule('out_of_range', { min: 1, max: 9999 }))
  .meta({ description: 'Years 0001 to 9999.' });

/** The end of the millisecond of a time, because callers see no microseconds; a time with microseconds stays exact. */
export const timestampToInclude = timestamp.transform((value) =>
  value.replace(
    /^(.{16})(:\d\d)?(?:\.(\d{1,3}))?(?=[^:.\d])/,
    (_, minute: string, second: string = ':00', digits: string = '') =>
      `${minute}${second}.${digits.padEnd(3, '0')}999`,
  ),
);

/** Checks a time that the database will store; its range is narrower than the range of `timestamp`. */
export const timestampInput = timestamp
  .refine(
    (value) => Date.parse(value) >= Date.parse(EARLIEST_TIMESTAMP) && Date.parse(value) <= Date.parse(LATEST_TIMESTAMP),
    OUT_OF_RANGE_RULE,
  )
  .meta({ description: `From ${EARLIEST_TIMESTAMP} to ${LATEST_TIMESTAMP}.` });

export const date = z.iso
  .date({ error: rule('not_a_date'), abort: true })
  .refine((value) => value >= EARLIEST_DATE && value <= LATEST_DATE, OUT_OF_RANGE_RULE)
  .meta({ description: `From ${EARLIEST_DATE} to ${LATEST_DATE}.` });

export const communeCode = code(rule('not_a_commune_code')).regex(
  /^(?:[0-9]{5}|2[AB][0-9]{3})$/,
  rule('not_a_commune_code.form'),
);

export function integer(minimum: number, maximum: number): z.ZodType<number> {
  const broken = rule('not_a_whole_number', { min: minimum, max: maximum });
  return z.int(broken).min(minimum, broken).max(maximum, broken);
}

/** Rejects decimals that Postgres would round. The parsed decimal is text, because numbers may lose digits. */
export function decimal(maximum: string): z.ZodType<string> {
  return decimalText(maximum).meta({ description: `0 to ${maximum}, at most two decimal places.` });
}

export const MAX_PERCENT = '100.00';

export const percent = decimal(MAX_PERCENT);

function decimalText(maximum: string): z.ZodType<string> {
  const broken = rule('not_a_decimal', { max: Number(maximum) });
  const digits = maximum.split('.')[0]?.length ?? 0;
  const pattern = new RegExp(`^0*[0-9]{1,${digits}}(?:\\.[0-9]{1,2}0*)?$`);
  const number = z.number(broken).meta({ minimum: 0, maximum: Number(maximum) });
  const string = z.string(broken).meta({ pattern: pattern.source });
  return z
    .union([number, string], broken)
    .transform(String)
    .refine((value) => pattern.test(value) && Number(value) <= Number(maximum), broken);
}

export const calendarFile = z
  .string()
  .meta({ description: 'Calendar (RFC 5545) with an all-day event for each deadline and each open task.' });

export const binaryContent = z.string().meta({ type: 'string', format: 'binary' });

/** Ignores a read-only field in a body, so that a caller can send back a whole record. */
export function ignoredInputSchema(output: z.ZodType): z.ZodOptional<z.ZodType<undefined>> {
  const ignored = z.preprocess(() => undefined, output.optional()) as unknown as z.ZodType<undefined>;
  // If `nullable` is not set, the OpenAPI generator describes each field that uses `preprocess` as nullable.
  return ignored.optional().meta({ readOnly: true, nullable: output instanceof z.ZodNullable });
}

export function integerParameter(minimum: number, maximum: number): z.ZodType<number> {
  const broken = rule('not_a_whole_number', { min: minimum, max: maximum });
  return z
    .string(broken)
    .regex(/^[0-9]{1,10}$/, broken)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, broken)
    .meta({ type: 'integer', minimum, maximum });
}

export function integerParameterWithDefault(minimum: number, maximum: number, byDefault: number): z.ZodType<number> {
  const integer = integerParameter(minimum, maximum);
  return integer.default(byDefault).meta({ ...integer.meta(), default: byDefault });
}

export function amountParameter(maximum: string): z.ZodType<string> {
  return decimalText(maximum).meta({ type: 'number', minimum: 0, maximum: Number(maximum) });
}

export function distinctListOf<Rule extends z.ZodType>(
  of: Rule,
  most = MAX_FILTER_VALUES,
): z.ZodType<z.output<Rule>[]> {
  return commaSeparatedList(of, most)
    .overwrite((values) => [...new Set(values)])
    .meta(COMMA_SEPARATED_PARAMETER);
}

const COMMA_SEPARATED_PARAMETER = { param: { style: 'form', explode: false } } as const;

function commaSeparatedList<Rule extends z.ZodType>(of: Rule, most: number): z.ZodType<z.output<Rule>[]> {
  const broken = rule('too_many_values', { max: most });
  return z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',', most + 1) : false),
    z.array(of, rule('given_twice.values')).min(1, broken).max(most, broken),
  );
}

export const CURSOR_PATTERN = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_CURSOR_CHARACTERS}}$`);

const cursorParameter = z
  .string()
  .regex(CURSOR_PATTERN, rule('not_a_cursor'))
  .transform((value) => Buffer.from(value, 'base64url').toString())
  .meta({ type: 'string' });

/**
 * Sets the OpenAPI description of a query parameter. Call `describeParameter` before `optional`, because `optional`
 * hides the name of an enum from the OpenAPI generator.
 */
export function describeParameter<Rule extends z.ZodType>(of: Rule, sentence: string, deprecated?: boolean): Rule {
  const meta = of.meta();
  const param = {
    ...(meta?.['param'] as object | undefined),
    description: sentence,
    ...(deprecated && { deprecated }),
  };
  return of.meta({ ...meta, param });
}

const NOT_FOR_CSV_TEXT = formatProblemText(rule('not_for_csv'));

export const pageParameters = {
  limit: describeParameter(
    integerParameterWithDefault(1, 1000, 1000),
    `Maximum number of records to return. It ${NOT_FOR_CSV_TEXT}.`,
  ),
  offset: describeParameter(
    integerParameterWithDefault(0, 2_147_483_647, 0),
    `Number of records to skip. Large offsets are slow; \`after\` is not. It ${NOT_FOR_CSV_TEXT}.`,
  ),
  after: describeParameter(
    cursorParameter,
    `Cursor from the \`Link\` header of the previous page, for the same list in the same order. It ${NOT_FOR_CSV_TEXT}.`,
  ).optional(),
  count: describeParameter(
    enumOf('ListCount'),
    `Return the number of records on all pages in \`X-Total-Count\`. It ${NOT_FOR_CSV_TEXT}.`,
  ).optional(),
};

/** The query parameters of every list, which every list has as CSV. */
export const csvParameters = {
  dialect: describeParameter(
    enumOf('CsvDialect'),
    'How numbers, dates, times and separators are written; for `text/csv` alone.',
  ).optional(),
};

/** `name` is the name of the enum of sort fields in the OpenAPI description. */
export function sortParameter(
  name: string,
  newest: string,
  ...others: readonly string[]
): z.ZodDefault<z.ZodType<string[]>> {
  const names = [newest, ...others].flatMap((field) => [field, `-${field}`]);
  const byDefault = `-${newest}`;
  const fields = fieldNameEnum(name, 'Sort fields of the list; a leading - means descending order.', names);
  // Without names of variables, generators of API clients drop the minus sign of `-amount` and use `amount` twice.
  const variables = fields.options.map((word) => word.replace(/^-(.*)/, '$1_descending'));
  const order = commaSeparatedList(fields.meta({ ...fields.meta(), 'x-enum-varnames': variables }), 2)
    .refine(([one = '', other = '']) => one.replace('-', '') !== other.replace('-', ''), {
      error: ({ input }) => rule('given_twice.sort', { field: String(input).replace(/^-|,.*/g, '') }),
    })
    .meta(COMMA_SEPARATED_PARAMETER);
  const updatedNote = names.includes('updated_at')
    ? ' When paging by -updated_at, records that change meanwhile move to the first page and are missed; by updated_at they appear again on the last page.'
    : '';
  const referenceNote = names.some((name) => name.endsWith('_id'))
    ? ' The id of another record, such as client_id, sorts by that record’s name, or by the id if it has none, such as reclamation_id; client is the old name of client_id.'
    : '';
  const statusNote = names.includes('status')
    ? ' Statuses are sorted in the order of the enum, which is their order in the life of a record.'
    : '';
  return describeParameter(
    order,
    `Field to sort by, with a leading - for descending order, or two different fields separated by a comma; ${byDefault} by default.${referenceNote} Records without a value come last in either direction. Text is sorted alphabetically, by the Unicode collation.${statusNote}${updatedNote}`,
  ).default([byDefault]);
}

export const booleanParameter = z
  .string()
  .refine((value) => value === 'true' || value === 'false', rule('not_true_or_false'))
  .meta({ type: 'boolean' });
