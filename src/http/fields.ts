import { z } from 'zod';
import { FILTER_VALUES } from '../limits.ts';

/* The rules of fields that several resources share; each says its rule in words that the caller is shown. */

/** Any UUID that Postgres takes in its hyphenated form; in lower case, as Postgres writes it. */
export const uuid = z.guid('must be a UUID').toLowerCase();

/** Text of a column with a length, in characters as Postgres counts them, and not blank. */
export function name(longest: number): z.ZodType<string> {
  return text(longest)
    .refine((value) => value.trim() !== '', 'must not be blank')
    .meta({ minLength: 1, maxLength: longest, pattern: '\\S' });
}

/** Text of a column with a length, in characters as Postgres counts them. */
export function text(longest: number): z.ZodType<string> {
  const rule = `must be text of at most ${longest} characters`;
  return z
    .string(rule)
    .refine((value) => value.length <= longest || Array.from(value).length <= longest, rule)
    .meta({ maxLength: longest });
}

/** Free text: an address, the grounds of a claim. */
export const prose = text(10_000);

/** An email address; rules of form alone, since only a message proves it. */
export const email = text(255)
  .refine((value) => z.email().safeParse(value).success, 'must be an email address')
  .meta({ format: 'email', maxLength: 255, pattern: z.regexes.email.source });

/** One of a few words, exactly; `name` is what the description calls them. */
export function oneOf<const T extends readonly [string, ...string[]]>(
  name: string,
  words: T,
): z.ZodEnum<{ [K in T[number]]: K }> {
  return z.enum(words, `must be one of ${words.join(', ')}`).meta({ id: name });
}

const FIRST_DAY = '1900-01-01';
const LAST_DAY = '2200-12-31';
const FIRST_MOMENT = `${FIRST_DAY}T00:00:00Z`;
const LAST_MOMENT = `${LAST_DAY}T23:59:59.999Z`;

const TIMESTAMP_RULE = 'must be a date and time with its offset, as in RFC 3339';

/** A moment as a caller writes it; Postgres has no year 0. */
export const moment = z.iso
  .datetime({ offset: true, error: TIMESTAMP_RULE, abort: true })
  .refine((value) => !value.startsWith('0000'), 'must lie between 0001 and 9999')
  .meta({ description: 'In the years 0001 to 9999.' });

/** A moment of a record; beyond four digits of a year no answer could write it as RFC 3339 has it. */
export const timestampInput = moment
  .refine(
    (value) => Date.parse(value) >= Date.parse(FIRST_MOMENT) && Date.parse(value) <= Date.parse(LAST_MOMENT),
    'must lie between 1900 and 2200',
  )
  .meta({ description: `From ${FIRST_MOMENT} to ${LAST_MOMENT}.` });

/** A day that the calendar has, in the years that the database takes. */
export const date = z.iso
  .date({ error: 'must be a date, as in 2026-12-31', abort: true })
  .refine((value) => value >= FIRST_DAY && value <= LAST_DAY, 'must lie between 1900 and 2200')
  .meta({ description: `From ${FIRST_DAY} to ${LAST_DAY}.` });

/** The INSEE code of a commune; the departments of Corsica have a letter. */
export const communeCode = z
  .string('must be the INSEE code of a commune')
  .regex(
    /^(?:[0-9]{5}|2[AB][0-9]{3})$/,
    'must be the INSEE code of a commune: five digits, or 2A or 2B and three',
  );

/** A whole number in a range. */
export function integer(minimum: number, maximum: number): z.ZodType<number> {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(rule).min(minimum, rule).max(maximum, rule);
}

/**
 * A decimal with at most two places, from 0 to `maximum`, as a number or a decimal string: what the column could not
 * hold exactly is refused, never rounded. Gives the text, so that no digit passes through a binary fraction.
 */
export function decimal(maximum: string): z.ZodType<string> {
  return decimalText(maximum).meta({
    description: `A decimal from 0 to ${maximum} with at most two places.`,
  });
}

function decimalText(maximum: string): z.ZodType<string> {
  const rule = `must be a decimal from 0 to ${maximum} with at most two places`;
  const whole = maximum.split('.')[0]?.length ?? 0;
  const form = new RegExp(`^0*[0-9]{1,${whole}}(?:\\.[0-9]{1,2}0*)?$`);
  const number = z.number(rule).meta({ minimum: 0, maximum: Number(maximum) });
  const string = z.string(rule).meta({ pattern: form.source });
  return z
    .union([number, string], rule)
    .transform(String)
    .refine((value) => form.test(value) && Number(value) <= Number(maximum), rule);
}

/** A content, which is no JSON. */
export const bytes = z.string().meta({ type: 'string', format: 'binary' });

/** A field of a record that the database computes: it may be sent back as it was read, and whatever it is, is ignored. */
export function ignored(output: z.ZodType): z.ZodOptional<z.ZodType<undefined>> {
  const nothing = z.preprocess(() => undefined, output.optional()) as unknown as z.ZodType<undefined>;
  // The generator takes it for nullable, because null is ignored as well.
  return nothing.optional().meta({ readOnly: true, nullable: output instanceof z.ZodNullable });
}

/** A whole number in a range, as a query says it. */
export function wholeNumber(minimum: number, maximum: number): z.ZodType<number> {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string(rule)
    .regex(/^[0-9]{1,10}$/, rule)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, rule)
    .meta({ type: 'integer', minimum, maximum });
}

/** The same with what it is when it is not given. */
export function countOf(minimum: number, maximum: number, byDefault: number): z.ZodType<number> {
  const rule = wholeNumber(minimum, maximum);
  return rule.default(byDefault).meta({ ...rule.meta(), default: byDefault });
}

/** The same decimal as `decimal`, as a query says it. */
export function amount(maximum: string): z.ZodType<string> {
  return decimalText(maximum).meta({ type: 'number', minimum: 0, maximum: Number(maximum) });
}

/** One value of that rule, or several with commas between them, each once; no value has a comma. */
export function several<Rule extends z.ZodType>(rule: Rule): z.ZodType<z.output<Rule>[]> {
  return separated(rule, FILTER_VALUES)
    .overwrite((values) => [...new Set(values)])
    .meta(SEPARATED);
}

const SEPARATED = { param: { style: 'form', explode: false } } as const;

function separated<Rule extends z.ZodType>(rule: Rule, most: number): z.ZodType<z.output<Rule>[]> {
  const sentence = `must be one value, or up to ${most} with commas between them`;
  return z.preprocess(
    // Given twice it is an array already, which is no such text.
    (value) => (typeof value === 'string' ? value.split(',', most + 1) : false),
    z.array(rule, 'must be given once, with commas between its values').min(1, sentence).max(most, sentence),
  );
}

/** The cursor of a `Link` to the next page. */
const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,2000}$/, 'must be the cursor of a Link header')
  .transform((value) => Buffer.from(value, 'base64url').toString())
  .meta({ type: 'string' });

/**
 * The rule of a parameter with the sentence that the description says of it. It goes on the rule and not on what makes it
 * optional, which would hide the rule's name from the generator; a copy has no name unless it is given it again.
 */
export function parameter<Rule extends z.ZodType>(rule: Rule, sentence: string): Rule {
  const meta = rule.meta();
  return rule.meta({ ...meta, param: { ...(meta?.['param'] as object | undefined), description: sentence } });
}

export const NOT_FOR_CSV = 'is not for text/csv, which has the whole list';

/** What every list takes. */
export const page = {
  limit: parameter(countOf(1, 1000, 1000), `How many records to give at most; ${NOT_FOR_CSV}.`),
  offset: parameter(
    countOf(0, 2_147_483_647, 0),
    `How many records to leave out; the further, the slower, which \`after\` is not; ${NOT_FOR_CSV}.`,
  ),
  after: parameter(
    cursor,
    `The cursor of the Link to the next page: what comes behind the page before. It must be the cursor of a Link header of the same list in the same order; ${NOT_FOR_CSV}.`,
  ).optional(),
  count: parameter(
    z.literal('exact', 'must be exact').meta({ id: 'ListCount' }),
    `Asks for X-Total-Count: how many records there are on all pages; ${NOT_FOR_CSV}.`,
  ).optional(),
};

/**
 * The order of a list: a field that it names or two, `-` before it for descending; newest first when it is not given.
 * `name` is what the description calls the words.
 */
export function sortBy(
  name: string,
  newest: string,
  ...others: readonly string[]
): z.ZodDefault<z.ZodType<string[]>> {
  const [first = '', ...rest] = [newest, ...others].flatMap((field) => [field, `-${field}`]);
  const byDefault = `-${newest}`;
  const words = oneOf(name, [first, ...rest]);
  const names = words.options.map((word) => word.replace(/^-(.*)/, '$1_descending'));
  // A word with a sign before it is the same name as the word without, in a language that knows no signs in names.
  const order = separated(words.meta({ id: name, 'x-enum-varnames': names }), 2)
    .refine(([one = '', other = '']) => one.replace('-', '') !== other.replace('-', ''), {
      error: ({ input }) => `must not name ${String(input).replace(/^-|,.*/g, '')} twice`,
    })
    .meta(SEPARATED);
  const walks = rest.includes('updated_at')
    ? ' A walk along next by -updated_at misses records that change meanwhile, since they move to its front; by updated_at it meets them again at its end.'
    : '';
  const byLife = rest.includes('status')
    ? ' By status is by the life of the record, from its first state to its last, as its words are listed.'
    : '';
  return parameter(
    order,
    `The field to sort by, with - before it for descending, or two different fields with a comma between them; ${byDefault} when absent. Records without a value come last, whichever the direction. Text comes in the order in which people read it, in every language.${byLife}${walks}`,
  ).default([byDefault]);
}

/** True or false, as a query says it. */
export const flag = z
  .string()
  .refine((value) => value === 'true' || value === 'false', 'must be true or false')
  .meta({ type: 'boolean' });
