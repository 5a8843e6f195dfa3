import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatEtag, parseVersionTimes } from '../../src/records/version.ts';
import { connected, createTestDatabase } from '../support/database.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite tests that the service and the database function app.etag make the same ETag from a record’s time of
 * change.
 */

const postgres = await forSuite(createTestDatabase());
const client = await forSuite(connected(postgres.adminUrl));
await client.query(`set timezone = 'UTC'; set datestyle = 'ISO'`);

test('the service and the database function app.etag make the same ETag, which contains a record’s whole time of change', async () => {
  const years = { min: new Date('1950-01-01'), max: new Date('2200-12-31'), noInvalidDate: true } as const;
  await fc.assert(
    fc.asyncProperty(fc.date(years), fc.integer({ min: 0, max: 999 }), async (date, micros) => {
      const exact = date.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
      const { rows } = await client.query<{ time: string; tag: string; same: boolean }>(
        `select t::text as time, app.etag(t) as tag, t = any ($2::timestamptz[]) as same from (select $1::timestamptz as t) as one`,
        [exact, [exact]],
      );
      const [row] = rows;
      expect(formatEtag(row?.time ?? '')).toBe(row?.tag);
      const { rows: back } = await client.query<{ same: boolean }>(
        'select $1::timestamptz = any ($2::timestamptz[]) as same',
        [exact, parseVersionTimes([row?.tag ?? ''])],
      );
      expect(back).toEqual([{ same: true }]);
    }),
    { numRuns: 200 },
  );
});

test.each(['"x"', '"1.5"', '"01"', '"1e3"', '""', 'W/"1"', '"9999999999999999"', '"-0"', '" 1"'])(
  'the ETag %s in If-Match or If-None-Match, which the service never issues, stands for no version of a record',
  (tag) => {
    expect(parseVersionTimes([tag])).toEqual([]);
  },
);
