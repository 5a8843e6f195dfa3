import { z } from 'zod';

/** Any UUID that Postgres takes in its hyphenated form; in lower case, as Postgres writes it. */
export const uuid = z.guid('must be a UUID').toLowerCase();

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

/** What every list takes. */
export const page = {
  limit: wholeNumber(1, 1000, 1000),
  offset: wholeNumber(0, 2_147_483_647, 0),
};
