import { z } from 'zod';

/* The rules of fields that several resources share; each says its rule in words that the caller is shown. */

/** Any UUID that Postgres takes in its hyphenated form; in lower case, as Postgres writes it. */
export const uuid = z.guid('must be a UUID').toLowerCase();

/** Text of a column with a length, in characters as Postgres counts them, and not blank. */
export function name(longest: number): z.ZodType<string> {
  return text(longest)
    .refine((value) => value.trim() !== '', 'must not be blank')
    .meta({ minLength: 1, maxLength: longest });
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
  .meta({ format: 'email', maxLength: 255 });

/** One of a few words, exactly. */
export function oneOf<const T extends readonly [string, ...string[]]>(
  ...words: T
): z.ZodEnum<{ [K in T[number]]: K }> {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}

const FIRST_MOMENT = Date.parse('1900-01-01T00:00:00Z');
const LAST_MOMENT = Date.parse('2200-12-31T23:59:59.999Z');

const TIMESTAMP_RULE = 'must be a date and time with its offset, as in RFC 3339';

/** A moment as a caller writes it. */
const moment = z.iso.datetime({ offset: true, error: TIMESTAMP_RULE });

/** A moment of a record; beyond four digits of a year no answer could write it as RFC 3339 has it. */
export const timestampInput = moment.refine(
  (value) => Date.parse(value) >= FIRST_MOMENT && Date.parse(value) <= LAST_MOMENT,
  'must lie between 1900 and 2200',
);

/** A day that the calendar has, in the years that the database takes. */
export const date = z.iso
  .date('must be a date, as in 2026-12-31')
  .refine((value) => value >= '1900-01-01' && value <= '2200-12-31', 'must lie between 1900 and 2200');

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

/** A field of a record that the database computes: it may be sent back as it was read, and is ignored. */
export const ignored = z
  .unknown()
  .transform(() => undefined)
  .optional()
  .meta({ description: 'Read-only: ignored.', readOnly: true });

function wholeNumber(minimum: number, maximum: number, byDefault: number): z.ZodType<number> {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string(rule)
    .regex(/^[0-9]{1,10}$/, rule)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, rule)
    .default(byDefault)
    .meta({ type: 'integer', minimum, maximum, default: byDefault });
}

/** The cursor of a `Link` to the next page. */
const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,2000}$/, 'must be the cursor of a Link header')
  .transform((value) => Buffer.from(value, 'base64url').toString())
  .meta({ type: 'string' });

/** What every list takes. */
export const page = {
  limit: wholeNumber(1, 1000, 1000),
  offset: wholeNumber(0, 2_147_483_647, 0),
  after: cursor.optional(),
  count: z.literal('exact', 'must be exact').optional(),
};

/** The order of a list: a field that it names, `-` before it for descending; newest first when it is not given. */
export function sortBy(newest: string, ...others: readonly string[]): z.ZodType<string> {
  const words = [newest, ...others].flatMap((field) => [field, `-${field}`]);
  return z
    .string()
    .refine((value) => words.includes(value), `must be one of ${words.join(', ')}`)
    .default(`-${newest}`)
    .meta({
      ...{ type: 'string', enum: words, default: `-${newest}` },
      ...(words.includes('updated_at') && {
        description:
          'A walk along next by -updated_at misses records that change meanwhile, since they move to its front; by updated_at it meets them again at its end.',
      }),
    });
}

/** Filters of every list whose records have a time of creation. */
export const created = { created_from: moment.optional(), created_to: moment.optional() };

/**
 * Filters of every list whose records have a time of change. With `sort=updated_at` they make the walk of a client that
 * keeps a copy: docs/decisions/walks-by-change.md.
 */
export const updated = {
  updated_from: moment.optional().meta({
    description:
      'Changed at this time or later. With sort=updated_at also what was being changed at this time and was stored after it, which may bear an earlier time: whoever keeps a copy walks so, with the highest updated_at that it has, and is given every change at least once.',
  }),
  updated_to: moment.optional(),
};

/** True or false, as a query says it. */
export const flag = z
  .string()
  .refine((value) => value === 'true' || value === 'false', 'must be true or false')
  .meta({ type: 'boolean' });
