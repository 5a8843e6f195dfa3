import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import papaparse from 'papaparse';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * Tests of a list with arbitrary texts that is exported as CSV. A library that the service does not use reads the file,
 * and the service imports the file again.
 */

const TEXTS = 600;
const SEED = 20_261_101;

const BREAKS = ['\r\n', '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];
const SEPARATORS = [',', ';', '\t', '|', '\x1e', '\x1f'];
const BLANKS = [' ', '\u00A0', '\u202F', '\u3000', '\uFEFF'];
const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/**
 * Arbitrary texts of letters and of characters with a meaning in CSV. They contain no digits, because the service
 * exports numbers unchanged.
 */
const text = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...BREAKS) },
      { weight: 2, arbitrary: fc.constantFrom(...SEPARATORS) },
      { weight: 2, arbitrary: fc.constantFrom('"', "'", ...BLANKS) },
      { weight: 3, arbitrary: fc.constantFrom(...SIGNS) },
      { weight: 1, arbitrary: fc.constantFrom('a', 'é', '🏠', 'sep=;', 'HYPERLINK(A)') },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const texts = [
  ...SIGNS.flatMap((sign) => ['', '\r', '\n', '\r\n', '\t', ' ', '"', ';', "'"].map((one) => `${one}${sign}A`)),
  ...['Rue A\n=cmd', 'Rue A\r=cmd', 'Rue A;=cmd;', "'", "''", "'\t'=", ' a ', 'a\n', '\r'],
  ...fc.sample(text, { numRuns: TEXTS, seed: SEED }),
];

const NEWLINES = ['\r\n', '\n', '\r'] as const;

/**
 * The separators and quotes with which a spreadsheet or a careless program can read a CSV file. The service writes CSV
 * for the first combination.
 */
const READERS = [',', ';', '\t', '|'].flatMap((delimiter) =>
  NEWLINES.flatMap((newline) => ['"', '\0'].map((quoteChar) => ({ delimiter, newline, quoteChar }))),
);

/**
 * Matches a cell that a spreadsheet could evaluate as a formula. Some spreadsheets ignore blanks and quotes before a
 * sign.
 */
const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/;

const service = await forSuite(startService());
const client = (await service.tenant('Own')).clients;
const token = await service.token('ADMIN', [client]);
await service.sql`insert into public.sites (client_id, site_name, address)
   select ${client}, 'Site ' || n, t from unnest(${texts}::text[]) with ordinality as l (t, n)`;

async function exported(): Promise<string> {
  const answer = await service.ask('GET /api/sites', { token, headers: { accept: 'text/csv' } });
  expect(answer.status).toBe(200);
  return answer.text;
}

test('no cell of an exported CSV begins with a formula, whatever separator, line break or quote its reader assumes', async () => {
  const file = await exported();
  for (const reader of READERS) {
    const cells = papaparse.parse<string[]>(file, reader).data.flat();
    expect(cells.length).toBeGreaterThan(100);
    expect([reader, cells.filter((cell) => FORMULA.test(cell))]).toEqual([reader, []]);
  }
});

test.each(NEWLINES)(
  'a program that reads an exported list with the line break %j finds one row for each record',
  async (newline) => {
    const file = await exported();
    const { data, errors } = papaparse.parse<Record<string, string>>(file, { header: true, newline });
    expect(errors.filter(({ code }) => code !== 'TooFewFields')).toEqual([]);
    const addresses = new Map(data.map(({ site_name = '', address = '' }) => [site_name, address]));
    const plain = (one: string | undefined) => one?.replaceAll("'", '');
    expect(texts.map((_, index) => plain(addresses.get(`Site ${index + 1}`)))).toEqual(texts.map(plain));
    expect([...addresses.values()].filter((address) => /^[\t\r\n]/.test(address))).toEqual([]);
  },
);

/** Imports the exported list, and returns the addresses of the new sites in the order of `texts`. */
async function importedAddresses(): Promise<unknown[]> {
  const answer = await service.ask('POST /api/sites/import', {
    token,
    headers: { 'content-type': 'text/csv' },
    body: await exported(),
  });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  const { ids } = answer.json as { ids: string[] };
  await service.sql`delete from public.sites where id <> all (${ids})`;
  const stored = await service.sql`select site_name, address from public.sites`;
  const addresses = new Map(stored.map((row) => [row['site_name'], row['address']]));
  return texts.map((_, index) => addresses.get(`Site ${index + 1}`));
}

test('a user who imports an exported CSV again stores every text as the service reads it, and each further time unchanged', async () => {
  const read = texts.map((one) =>
    one
      .replaceAll('\uFEFF', '')
      .trim()
      .replace(/^[\s\p{Cc}]+$/u, ''),
  );
  const first = await importedAddresses();
  expect(first).toEqual(read.map((one) => (one === '' ? null : one)));
  expect(await importedAddresses()).toEqual(first);
});
