import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  numberToJson,
  createJsonWriter,
  formatTimeSql,
  timeToJson,
  unescapedTextToJson,
  arrayToJson,
  textToJson,
  booleanToJson,
} from '../../src/records/json.ts';
import { connected, createEmptyDatabase } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

/* This suite compares the JSON writer for records with `JSON.stringify`, for values as Postgres prints them. */

const postgres = await forSuite(createEmptyDatabase());
const client = await forSuite(connected(postgres.adminUrl));
await client.query(`set timezone = 'UTC'; set datestyle = 'ISO'`);

/** Returns the text that Postgres prints for a value of the given column type. */
async function printed(type: string, value: unknown): Promise<string | null> {
  const { rows } = await client.query<{ text: string | null }>(`select $1::${type}::text as text`, [value]);
  return rows[0]?.text ?? null;
}

const nullable = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(values, { nil: null });

/** Generates texts that Postgres accepts, which have no NUL and no unpaired surrogates. */
const texts = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 50 }),
    fc.constantFrom('"', '\\', '\u2028\u2029', '\b\f\n\r\t\u001f\u007f', '</script>', 'éèœ€😀', '{"a":[1]}', "'", ' '),
  )
  .map((text) => text.replaceAll('\0', '').toWellFormed());

const uuids = fc.uuid();

const record = fc.record({
  id: uuids,
  name: nullable(texts),
  count: nullable(fc.integer({ min: -2_147_483_648, max: 2_147_483_647 })),
  ids: nullable(fc.array(uuids, { maxLength: 5 })),
  is_true: nullable(fc.boolean()),
  day: nullable(fc.date({ min: new Date('1900-01-01'), max: new Date('2200-12-31'), noInvalidDate: true })),
});

const write = createJsonWriter({
  id: unescapedTextToJson,
  name: textToJson,
  count: numberToJson,
  ids: arrayToJson,
  is_true: booleanToJson,
  day: unescapedTextToJson,
});

test('the service writes the JSON of a record byte for byte as JSON.stringify does', async () => {
  await fc.assert(
    fc.asyncProperty(record, async (values) => {
      const day = values.day === null ? null : values.day.toISOString().slice(0, 10);
      const row = [
        await printed('uuid', values.id),
        await printed('text', values.name),
        await printed('integer', values.count),
        await printed('uuid[]', values.ids),
        values.is_true === null ? null : values.is_true ? 't' : 'f',
        await printed('date', day),
      ];
      expect(write(row)).toBe(JSON.stringify({ ...values, day }));
    }),
    { numRuns: 300 },
  );
});

test('the function that writes a record as JSON throws an error if a database row has fewer columns than the record', () => {
  expect(() => write(['x'])).toThrow('fewer columns');
});

test('the service writes an amount in JSON as the same number with two decimal places', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 999_999_999_999 }), async (cents) => {
      const text = numberToJson((await printed('numeric(12,2)', `${String(cents)}e-2`)) ?? '');
      expect(text).toMatch(/^\d+\.\d\d$/);
      expect(JSON.parse(text)).toBe(cents / 100);
    }),
    { numRuns: 200 },
  );
});

test('the service writes a time in JSON and in SQL in UTC with three digits of a second, as a JavaScript Date does', async () => {
  const years = { min: new Date('1900-01-01'), max: new Date('2200-12-31'), noInvalidDate: true } as const;
  await fc.assert(
    fc.asyncProperty(fc.date(years), fc.constantFrom(0, 1, 499, 500, 999), async (date, micros) => {
      const exact = date.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
      const written = JSON.parse(timeToJson((await printed('timestamptz', exact)) ?? '')) as string;
      const { rows } = await client.query(`select ${formatTimeSql('$1::timestamptz')} as text`, [exact]);
      expect([written, rows]).toEqual([date.toISOString(), [{ text: date.toISOString() }]]);
    }),
    { numRuns: 200 },
  );
});
