import { describe, expect, test } from '@jest/globals';
import { TEXT_BYTES_BEFORE_YIELD } from '../../src/limits.ts';
import { convertToUtf8 } from '../../src/records/import/csv-text.ts';
import { reclamation } from '../../src/resources/reclamation-record.ts';
import { site } from '../../src/resources/sites.ts';
import type { Answer } from '../support/http.ts';
import { importedColumnsOf } from '../support/records.ts';
import { details, expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * This suite imports CSV tables as people write them in France. A CSV table in which a value has two possible readings
 * gets 400.
 */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Boulangerie Martin');
const token = await service.token('TAX_SPECIALIST', [own.clients]);

const post = (path: string, body: string | Buffer, type = 'text/csv'): Promise<Answer> =>
  service.ask(`POST ${path}`, { token, headers: { 'content-type': type }, body });
const importClaims = (body: string | Buffer, type?: string) => post('/api/reclamations/import', body, type);
const importSites = (body: string | Buffer, type?: string) => post('/api/sites/import', body, type);

type Cells = Readonly<Record<string, string>>;

/** Builds a CSV table of claims, in which each row has the required cells and the given further cells. */
function claims(rows: readonly Cells[], sign = ';'): string {
  const full = rows.map((row) => ({
    ...{ client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: '5' },
    ...row,
  }));
  const quoted = (cell: string) => (/[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return [Object.keys(full[0] ?? {}), ...full.map((row) => Object.values(row))]
    .map((cells) => `${cells.map(quoted).join(sign)}\r\n`)
    .join('');
}

async function storedValues(answer: Answer, field: string): Promise<unknown[]> {
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  const { ids } = answer.json as { ids: string[] };
  const read = await Promise.all(ids.map((id) => service.ask(`GET /api/reclamations/${id}`, { token })));
  return read.map(({ json }) => (json as Record<string, unknown>)[field]);
}

const INVALID_TIME =
  'must be a date and time with its offset, as in 2026-12-31T09:30:00+01:00, or by the clock in Paris as in 31/12/2026 09:30';

async function expectTold(answer: Answer | Promise<Answer>, told: Readonly<Record<string, unknown>>) {
  expectError(await answer, 'ERROR_VALIDATION', told);
}

describe('an amount in an imported CSV table', () => {
  test.each([';', ',', '\t'])(
    'an amount with only one possible reading is imported from a CSV table with the separator %j',
    async (sign) => {
      const amounts: readonly (readonly [string, number])[] = [
        ['1 234,56 €', 1234.56],
        ['1\u202F234,56\u00A0€', 1234.56],
        ['12 345 678,9', 12345678.9],
        ['1234,5', 1234.5],
        ['1.234,56', 1234.56],
        ['1,234.56', 1234.56],
        ['1234.56', 1234.56],
        ['1 234', 1234],
        [' 12 ', 12],
        ['12€', 12],
        ['0.5', 0.5],
      ];
      const answer = await importClaims(
        claims(
          amounts.map(([amount]) => ({ amount })),
          sign,
        ),
      );
      expect(await storedValues(answer, 'amount')).toEqual(amounts.map(([, value]) => value));
    },
  );

  test.each([';', ','])(
    'an amount with two possible readings in a CSV table with the separator %j gets 400',
    async (sign) => {
      const rows = ['1,234', '1.200', '12.500 €', '5'].map((amount) => ({ amount }));
      const told = (one: string, other: string) =>
        `may be read as ${one} or as ${other}: write it with two decimals, as in 1234,50`;
      await expectTold(importClaims(claims(rows, sign)), {
        'line 2, amount': told('1234', '1.234'),
        'line 3, amount': told('1200', '1.200'),
        'line 4, amount': told('12500', '12.500'),
      });
    },
  );

  test('a CSV cell of an amount that holds no number gets 400', async () => {
    const rows = ['12 34', '-5', '1e3', '12,345,678', '5,', '€ 5', '1,234,5', '#REF!', '1 23,5'].map((amount) => ({
      amount,
    }));
    const answer = await importClaims(claims(rows));
    expect(details(answer)).toEqual(
      Object.fromEntries(
        rows.map((_row, index) => [
          `line ${index + 2}, amount`,
          'must be a decimal from 0 to 99999999.99 with at most two places',
        ]),
      ),
    );
  });
});

describe('a date in an imported CSV table', () => {
  test('a CSV import reads dates with the day first from a table with semicolons, and with the year first from any table', async () => {
    const days = ['31/12/2024', '1/2/2024', ' 03/04/2024 00:00', '2024-12-31', '2024-12-31 00:00:00', ' '];
    const answer = await importClaims(claims(days.map((collection_date) => ({ collection_date }))));
    expect(await storedValues(answer, 'collection_date')).toEqual([
      ...['2024-12-31', '2024-02-01', '2024-04-03', '2024-12-31', '2024-12-31', null],
    ]);
    const other = await importClaims(claims([{ collection_date: '2024-12-31' }], ','));
    expect(await storedValues(other, 'collection_date')).toEqual(['2024-12-31']);
  });

  test('a CSV import with an ambiguous or invalid date gets 400 with the reason', async () => {
    const days = ['31/12/24', '45657', '31 décembre', '12/31/2024', '29/02/2023', '31/12/2024 09:30'];
    await expectTold(importClaims(claims(days.map((collection_date) => ({ collection_date })))), {
      'line 2, collection_date': 'must have a year of four digits',
      'line 3, collection_date':
        'is the number that a spreadsheet keeps for a day: give the column the format of a date',
      'line 4, collection_date': 'must be a date, as in 31/12/2026 or 2026-12-31',
      'line 5, collection_date': 'must be a date, as in 2026-12-31',
      'line 6, collection_date': 'must be a date, as in 2026-12-31',
      'line 7, collection_date': 'must be a date, as in 31/12/2026 or 2026-12-31',
    });
    await expectTold(importClaims(claims([{ collection_date: '03/04/2024' }], ',')), {
      'line 2, collection_date':
        'may be read as 2024-04-03 or as 2024-03-04: write 2026-12-31, or put semicolons between the cells, where the day is first',
    });
  });

  test.each([',', '\t'])(
    'a date with the day first is imported from a table with the separator %j if it has no second reading',
    async (sign) => {
      const days = ['31/12/2024', '13/12/2024', '4/4/2024', '2024-12-31'];
      const answer = await importClaims(
        claims(
          days.map((collection_date) => ({ collection_date })),
          sign,
        ),
      );
      expect(await storedValues(answer, 'collection_date')).toEqual([
        ...['2024-12-31', '2024-12-13', '2024-04-04', '2024-12-31'],
      ]);
      const other = ['12/11/2024', '12/31/2024', '31/02/2023', '32/12/2024'];
      await expectTold(
        importClaims(
          claims(
            other.map((collection_date) => ({ collection_date })),
            sign,
          ),
        ),
        {
          'line 2, collection_date': expect.stringContaining('may be read as 2024-11-12 or as 2024-12-11'),
          'line 3, collection_date': 'must be a date, as in 31/12/2026 or 2026-12-31: the day is first',
          'line 4, collection_date': 'must be a date, as in 2026-12-31',
          'line 5, collection_date': 'must be a date, as in 2026-12-31',
        },
      );
    },
  );

  test('a CSV import reads a time without an offset by the clock in Paris, and refuses a text that names no moment or two of them', async () => {
    const times = ['31/12/2024 23:59:59', '1/7/2024 09:30', '30/03/2025 01:59:59', '26/10/2025 03:00:00'];
    const answer = await importClaims(claims(times.map((submitted_at) => ({ submitted_at }))));
    const stored = await storedValues(answer, 'submitted_at');
    expect(stored.map((time) => new Date(String(time)).toISOString())).toEqual([
      ...[
        '2024-12-31T22:59:59.000Z',
        '2024-07-01T07:30:00.000Z',
        '2025-03-30T00:59:59.000Z',
        '2025-10-26T02:00:00.000Z',
      ],
    ]);
    const wrong = [
      '30/03/2025 02:00',
      '26/10/2025 02:59:59',
      '31/12/2024 24:00',
      '31/02/2024 23:00',
      '31/12/2024 9h30',
      '31/12/2024',
      '2024-12-31T10:00',
      '2024-12-31T10:00:00Z',
    ];
    await expectTold(importClaims(claims(wrong.map((submitted_at) => ({ submitted_at })))), {
      'line 2, submitted_at': 'does not exist: the clock in Paris skipped this hour',
      'line 3, submitted_at':
        'may be read as 2025-10-26T00:59:59.000Z or as 2025-10-26T01:59:59.000Z, for the clock in Paris showed it twice: write one of them',
      ...Object.fromEntries([4, 5, 6, 7, 8].map((line) => [`line ${line}, submitted_at`, INVALID_TIME])),
    });
    await expectTold(importClaims(claims([{ submitted_at: '03/04/2024 09:30' }], ',')), {
      'line 2, submitted_at': expect.stringContaining('may be read as 2024-04-03 or as 2024-03-04'),
    });
  });
});

describe('a code in an imported CSV table', () => {
  test.each(['2,46912E+11', '2.46912E+11', '1E+12', '-1,5E+100', ' 2,46912E+11 '])(
    'a CSV import with %j in a text field gets 400, because a spreadsheet has destroyed the number',
    async (notice_reference) => {
      const rule = `is ${notice_reference.trim()}, a number that a spreadsheet has shortened: give the column the format of text, and enter the value again`;
      await expectTold(importClaims(claims([{ notice_reference }])), { 'line 2, notice_reference': rule });
      const site_name = `client_id;site_name\r\n${own.clients};${notice_reference}\r\n`;
      await expectTold(importSites(site_name), { 'line 2, site_name': rule });
    },
  );

  test('a CSV import keeps a text that only resembles a shortened number', async () => {
    const texts = ['246912000000', 'E+11', '2,46912E', '12E+11', '2E+1', 'Lot 2E+11', '2E11'];
    const answer = await importClaims(claims(texts.map((notice_reference) => ({ notice_reference }))));
    expect(await storedValues(answer, 'notice_reference')).toEqual(texts);
  });

  test('a CSV import accepts a claim_type in any letter case, and a code between blanks', async () => {
    const answer = await importClaims(
      claims([
        { claim_type: ' tf', commune_code: ' 75056 ', client_id: ` ${own.clients.toUpperCase()} ` },
        { claim_type: 'Cfe', commune_code: '2A004 ', client_id: own.clients },
      ]),
    );
    expect(await storedValues(answer, 'claim_type')).toEqual(['TF', 'CFE']);
    expect(await storedValues(answer, 'commune_code')).toEqual(['75056', '2A004']);
  });

  test('a CSV import reads true and false in English and French, and an empty cell as the default', async () => {
    const words = ['true', 'VRAI', 'Oui', 'yes', 'false', 'FAUX', 'non', 'No', ''];
    const answer = await importClaims(claims(words.map((response_extended) => ({ response_extended }))));
    const { ids } = answer.json as { ids: string[] };
    const rows = await service.sql`select response_extended from public.reclamations as r
       join unnest(${ids}::uuid[]) with ordinality as given (id, place) using (id) order by place`;
    expect(rows.map((row) => row['response_extended'])).toEqual(words.map((_word, place) => place < 4));
    await expectTold(importClaims(claims([{ response_extended: 'peut-être' }])), {
      'line 2, response_extended': 'must be true or false',
    });
  });

  test('a CSV import with an unknown claim_type and a commune code without its leading zero gets 400', async () => {
    await expectTold(importClaims(claims([{ claim_type: 'Taxe foncière', commune_code: '1004' }])), {
      'line 2, claim_type': 'must be one of TF, CFE',
      'line 2, commune_code': 'must be the INSEE code of a commune: five digits, or 2A or 2B and three',
    });
  });
});

describe('the header of an imported CSV table', () => {
  const line = () => `${own.clients};Siège\r\n`;

  test.each([
    ['in another letter case, with blanks', ' Client ID ;SITE_NAME\r\n'],
    ['after empty lines', ';;\r\n\r\n;\r\nclient_id;site_name\r\n'],
    ['after sep=;', 'sep=;\r\nclient_id;site_name\r\n'],
    ['after a byte order mark and a quoted sep=;', '\uFEFF"sep=;"\r\nclient_id;site_name\r\n'],
  ])('a CSV import accepts a header %s', async (_what, header) => {
    const answer = await importSites(header + line());
    expect(answer.json).toMatchObject({ imported: 1 });
  });

  test('the line numbers in the errors of a CSV import count the lines before the header too', async () => {
    const told = { 'line 4, client_id': 'must be a UUID' };
    await expectTold(importSites(`sep=;\r\nclient_id;site_name\r\n${line()}x;A\r\n`), told);
    await expectTold(importSites(`;\r\nclient_id;site_name\r\n${line()}x;A\r\n`), told);
  });

  test('a CSV import with a repeated, unknown or missing column gets 400 that names the allowed columns', async () => {
    const mayName = `may name ${importedColumnsOf(site).join(', ')}`;
    await expectTold(importSites(`client_id;site_name;Site Name\r\n${line()}`), {
      'line 1, Site Name': 'is given twice',
    });
    // The service must not mistake a firm’s own column "Client" for a column of expanded client names in an exported
    // list.
    await expectTold(importSites(`Client;client_id;site_name\r\nAcme;${line()}`), {
      'line 1, Client': 'is not known here',
      'line 1': mayName,
    });
    await expectTold(importSites(`Liste des sites\r\n\r\nclient_id;site_name\r\n${line()}`), {
      'line 1, Liste des sites': 'is not known here',
      'line 1, client_id': 'is required: the first line names the fields',
      'line 1, site_name': 'is required: the first line names the fields',
      'line 1': mayName,
    });
  });
});

describe('the lines of an imported CSV table', () => {
  test.each(['\r\n', '\n', '\r'])('a CSV table with empty lines and with %j at line ends is imported', async (end) => {
    const text = claims([{}, {}]).replaceAll('\r\n', end);
    const answer = await importClaims(`${text}${end};;;${end}  ${end}`);
    expect(answer.json).toMatchObject({ imported: 2 });
  });

  test('the line numbers in the errors of a CSV import count line breaks within cells too', async () => {
    const rows = [{ grounds: 'a\r\nb\r\nc' }, { grounds: 'a\nb', amount: 'x' }, { grounds: 'a\rb', amount: 'y' }];
    const rule = 'must be a decimal from 0 to 99999999.99 with at most two places';
    await expectTold(importClaims(claims([...rows.map((row) => ({ amount: '5', ...row }))])), {
      'line 5, amount': rule,
      'line 7, amount': rule,
    });
  });

  test('a CSV import accepts a line that lacks its last optional cells, and empty cells beyond the header, and refuses a line with text beyond the header', async () => {
    const header = 'client_id;site_id;claim_type;amount;grounds\r\n';
    const begin = `${own.clients};${own.sites};TF`;
    const taken = await importClaims(`${header}${begin};5\r\n${begin};5;;; ;\r\n`);
    expect(taken.json).toMatchObject({ imported: 2 });
    await expectTold(importClaims(`${header}${begin}\r\n${begin};;x\r\n`), {
      'line 2, amount': 'is required',
      'line 3, amount': 'is required',
    });
    await expectTold(importClaims(`${header}${begin};5;a;b\r\n`), {
      'line 2': 'has more cells than the first line names',
    });
  });
});

describe('the encoding and format of an imported table', () => {
  const sites = () => `client_id;site_name\r\n${own.clients};Siège\r\n${own.clients};Entrepôt n°2 – 12 €\r\n`;
  const windows = () => Buffer.from(sites().replaceAll('–', '\x96').replaceAll('€', '\x80'), 'latin1');

  test('a CSV import in Windows-1252 keeps accents at the border between two decoded pieces of the file', async () => {
    const accents = 'éàçùœ'.repeat(50_000);
    const bytes = Buffer.from(accents.replaceAll('œ', '\x9c'), 'latin1');
    const decoded = await convertToUtf8(bytes, 'windows-1252', () => Promise.resolve());
    expect(bytes.length).toBeGreaterThan(3 * TEXT_BYTES_BEFORE_YIELD);
    expect(decoded.toString() === accents).toBe(true);
  });

  test('a CSV table in Windows-1252 whose Content-Type names no encoding gets 400 with the number of the wrong line', async () => {
    await expectTold(importSites(windows()), {
      'line 2': expect.stringContaining('it may be Windows-1252. In Excel, save it as "CSV UTF-8'),
    });
  });

  test.each(['Windows-1252', 'iso-8859-1', 'ISO-8859-1', 'latin1', '"cp1252"'])(
    'a CSV table in Windows-1252 is imported with all its letters if the Content-Type says charset=%s',
    async (charset) => {
      const answer = await importSites(windows(), `text/csv; charset=${charset}`);
      const [, id] = (answer.json as { ids: string[] }).ids;
      const { json } = await service.ask(`GET /api/sites/${String(id)}`, { token });
      expect(json).toMatchObject({ site_name: 'Entrepôt n°2 – 12 €' });
    },
  );

  test.each(['windows-1252', 'iso-8859-1'])(
    'a CSV table in UTF-8 that is declared as %s gets 400 instead of garbled letters, and one in ASCII is imported',
    async (charset) => {
      const rule = 'must be Windows-1252, as its Content-Type says, and is UTF-8: leave the charset out';
      const type = `text/csv; charset=${charset}`;
      const ascii = `client_id;site_name\r\n${own.clients};A\r\n`;
      await expectTold(importSites(`${ascii}${own.clients};Dépôt\r\n`, type), { 'line 3': rule });
      await expectTold(importSites(`\uFEFF${ascii}`, type), { 'line 1': rule });
      expect((await importSites(ascii, type)).json).toMatchObject({ imported: 1 });
    },
  );

  test('a CSV table in an encoding that the service does not know gets 415', async () => {
    for (const charset of ['iso-8859-15', 'utf-16le', 'x-none'])
      expectError(await importSites(sites(), `text/csv; charset=${charset}`), 'ERROR_UNSUPPORTED_MEDIA_TYPE');
  });

  test.each(['application/vnd.ms-excel', 'application/vnd.ms-excel; charset=windows-1252', undefined])(
    'a CSV table with the content type %s, as Windows sends it, is imported',
    async (type) => {
      const body = type?.includes('1252') ? windows() : Buffer.from(sites());
      const response = await fetch(`http://127.0.0.1:${service.port}/api/sites/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, ...(type !== undefined && { 'content-type': type }) },
        body: new Uint8Array(body),
      });
      expect([response.status, await response.json()]).toEqual([201, expect.objectContaining({ imported: 2 })]);
    },
  );

  test.each(['\x1A', '\r\n\x1A', '\x1A\r\n', '\x1A\x1A'])(
    'a CSV table that ends with %j is imported without that end mark',
    async (end) => {
      expect((await importSites(sites() + end)).json).toMatchObject({ imported: 2 });
      expect((await importSites(`client_id;site_name\r\n${own.clients};A${end}`)).json).toMatchObject({ imported: 1 });
    },
  );

  test('a CSV import of a table with nothing but an end mark gets 400, and keeps 0x1A within a text', async () => {
    await expectTold(importSites('\x1A'), { body: 'must have at least one record' });
    const answer = await importSites(`client_id;site_name;address\r\n${own.clients};A;b\x1Ac\r\n`);
    const [id] = (answer.json as { ids: string[] }).ids;
    expect((await service.ask(`GET /api/sites/${String(id)}`, { token })).json).toMatchObject({ address: 'b\x1Ac' });
  });

  test('a list that was exported for Excel in French can be imported again with the same values', async () => {
    const { clients } = await service.tenant('Own');
    const mine = await service.token('ADMIN', [clients]);
    const headers = { accept: 'text/csv' };
    const path = '/api/reclamations?dialect=fr&sort=created_at';
    await service.admin(
      `update public.reclamations
         set amount = 1234.5, collection_date = '2024-12-31', submitted_at = '2025-10-26T00:30:00Z', grounds = '+33 4 78 ; =1'
         where client_id = $1`,
      [clients],
    );
    const list = await service.ask(`GET ${path}`, { token: mine, headers });
    expect(list.text).toContain(';1234,50;');
    const type = { 'content-type': 'application/vnd.ms-excel' };
    const again = await service.ask('POST /api/reclamations/import', { token: mine, headers: type, body: list.text });
    expect([again.status, again.json]).toEqual([201, expect.objectContaining({ imported: 1 })]);
    const claims = (await service.ask('GET /api/reclamations?sort=created_at', { token: mine })).json as Record<
      string,
      unknown
    >[];
    const { columns } = reclamation;
    const imported = Object.entries(columns).flatMap(([name, { onCreate }]) => (onCreate === undefined ? [] : [name]));
    const valuesOf = (claim: Record<string, unknown> | undefined) => imported.map((name) => [name, claim?.[name]]);
    expect(claims).toHaveLength(2);
    expect(valuesOf(claims[1])).toEqual(valuesOf(claims[0]));
  });

  test('an import of a spreadsheet workbook gets 400 that says it is not a CSV table', async () => {
    await expectTold(importSites(Buffer.from('PK\x03\x04\x14\x00\x06\x00', 'latin1')), {
      body: expect.stringContaining('is a workbook, not a CSV file'),
    });
  });

  test('an exported list with expanded names can be imported again, and the names are ignored', async () => {
    const { clients } = await service.tenant('Own');
    const mine = await service.token('ADMIN', [clients]);
    const list = await service.ask('GET /api/reclamations?expand=client,site,assignee', {
      token: mine,
      headers: { accept: 'text/csv' },
    });
    expect(list.text).toContain(',client.company_name,site.id,site.site_name,assignee.id,assignee.name');
    const send = (body: string) =>
      service.ask('POST /api/reclamations/import', { token: mine, headers: { 'content-type': 'text/csv' }, body });
    expect((await send(list.text)).json).toMatchObject({ imported: 1 });
    const unknown = await send(list.text.replace('client.company_name', 'client.siret'));
    expect(details(unknown)).toMatchObject({ 'line 1, client.siret': 'is not known here' });
  });
});
