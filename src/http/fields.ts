import { z } from 'zod';
import { FILTER_VALUES } from '../limits.ts';

/* The rules of fields that several resources share; callers read their messages. */

export const uuid = z.guid('must be a UUID').toLowerCase();

export function name(longest: number): z.ZodType<string> {
  return text(longest)
    .refine((value) => value.trim() !== '', 'must not be blank')
    .meta({ minLength: 1, maxLength: longest, pattern: '\\S' });
}

/** Counts code points, as Postgres does. */
export function text(longest: number): z.ZodType<string> {
  const rule = `must be text of at most ${longest} characters`;
  return z
    .string(rule)
    .refine((value) => value.length <= longest || Array.from(value).length <= longest, rule)
    .meta({ maxLength: longest });
}

export const prose = text(10_000);

export const email = text(255)
  .refine((value) => z.email().safeParse(value).success, 'must be an email address')
  .meta({ format: 'email', maxLength: 255, pattern: z.regexes.email.source });

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

export const moment = z.iso
  .datetime({ offset: true, error: TIMESTAMP_RULE, abort: true })
  .refine((value) => !value.startsWith('0000'), 'must lie between 0001 and 9999')
  .meta({ description: 'In the years 0001 to 9999.' });

/** A time that is stored: RFC 3339 writes years with four digits. */
export const timestampInput = moment
  .refine(
    (value) => Date.parse(value) >= Date.parse(FIRST_MOMENT) && Date.parse(value) <= Date.parse(LAST_MOMENT),
    'must lie between 1900 and 2200',
  )
  .meta({ description: `From ${FIRST_MOMENT} to ${LAST_MOMENT}.` });

export const date = z.iso
  .date({ error: 'must be a date, as in 2026-12-31', abort: true })
  .refine((value) => value >= FIRST_DAY && value <= LAST_DAY, 'must lie between 1900 and 2200')
  .meta({ description: `From ${FIRST_DAY} to ${LAST_DAY}.` });

export const communeCode = z
  .string('must be the INSEE code of a commune')
  .regex(
    /^(?:[0-9]{5}|2[AB][0-9]{3})$/,
    'must be the INSEE code of a commune: five digits, or 2A or 2B and three',
  );

export function integer(minimum: number, maximum: number): z.ZodType<number> {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(rule).min(minimum, rule).max(maximum, rule);
}

/** Refuses what the column cannot hold exactly. Returns text: no digit passes through a binary fraction. */
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

export const bytes = z.string().meta({ type: 'string', format: 'binary' });

/** A read-only field: a record may be sent back whole, and the field is ignored. */
export function ignored(output: z.ZodType): z.ZodOptional<z.ZodType<undefined>> {
  const nothing = z.preprocess(() => undefined, output.optional()) as unknown as z.ZodType<undefined>;
  // Without `nullable` the generator takes the field for nullable, because null is ignored as well.
  return nothing.optional().meta({ readOnly: true, nullable: output instanceof z.ZodNullable });
}

export function wholeNumber(minimum: number, maximum: number): z.ZodType<number> {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string(rule)
    .regex(/^[0-9]{1,10}$/, rule)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, rule)
    .meta({ type: 'integer', minimum, maximum });
}

export function countOf(minimum: number, maximum: number, byDefault: number): z.ZodType<number> {
  const rule = wholeNumber(minimum, maximum);
  return rule.default(byDefault).meta({ ...rule.meta(), default: byDefault });
}

export function amount(maximum: string): z.ZodType<string> {
  return decimalText(maximum).meta({ type: 'number', minimum: 0, maximum: Number(maximum) });
}

export function several<Rule extends z.ZodType>(rule: Rule): z.ZodType<z.output<Rule>[]> {
  return separated(rule, FILTER_VALUES)
    .overwrite((values) => [...new Set(values)])
    .meta(SEPARATED);
}

const SEPARATED = { param: { style: 'form', explode: false } } as const;

function separated<Rule extends z.ZodType>(rule: Rule, most: number): z.ZodType<z.output<Rule>[]> {
  const sentence = `must be one value, or up to ${most} with commas between them`;
  return z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',', most + 1) : false),
    z.array(rule, 'must be given once, with commas between its values').min(1, sentence).max(most, sentence),
  );
}

const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,2000}$/, 'must be the cursor of a Link header')
  .transform((value) => Buffer.from(value, 'base64url').toString())
  .meta({ type: 'string' });

/** Call it before `optional`, which hides the rule's name from the generator. */
export function parameter<Rule extends z.ZodType>(rule: Rule, sentence: string): Rule {
  const meta = rule.meta();
  return rule.meta({ ...meta, param: { ...(meta?.['param'] as object | undefined), description: sentence } });
}

export const NOT_FOR_CSV = 'is not for text/csv, which has the whole list';

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

/** `name` is the name of the words in the description. */
export function sortBy(
  name: string,
  newest: string,
  ...others: readonly string[]
): z.ZodDefault<z.ZodType<string[]>> {
  const [first = '', ...rest] = [newest, ...others].flatMap((field) => [field, `-${field}`]);
  const byDefault = `-${newest}`;
  const words = oneOf(name, [first, ...rest]);
  const names = words.options.map((word) => word.replace(/^-(.*)/, '$1_descending'));
  // Client generators drop the sign: both words would have one name.
  const order = separated(words.meta({ id: name, 'x-enum-varnames': names }), 2)
    .refine(([one = '', other = '']) => one.replace('-', '') !== other.replace('-', ''), {
      error: ({ input }) => `must not name ${String(input).replace(/^-|,.*/g, '')} twice`,
    })
    .meta(SEPARATED);
  const onChange = rest.includes('updated_at')
    ? ' A walk along next by -updated_at misses records that change meanwhile, since they move to its front; by updated_at it meets them again at its end.'
    : '';
  const onStatus = rest.includes('status')
    ? ' By status is by the life of the record, from its first state to its last, as its words are listed.'
    : '';
  return parameter(
    order,
    `The field to sort by, with - before it for descending, or two different fields with a comma between them; ${byDefault} when absent. Records without a value come last, whichever the direction. Text comes in the order in which people read it, in every language.${onStatus}${onChange}`,
  ).default([byDefault]);
}

export const flag = z
  .string()
  .refine((value) => value === 'true' || value === 'false', 'must be true or false')
  .meta({ type: 'boolean' });
