import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import papaparse from 'papaparse';
import { authenticatedEndpoints } from '../../src/resources/index.ts';
import { ROWS } from '../resources/access.ts';
import { fill, giveTo } from '../resources/situations.ts';
import type { Answer } from '../support/http.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * These tests check the content of lists as CSV, and who is allowed to read them. test/http/csv-slowly.test.ts tests
 * slow readers.
 */

const csv = { accept: 'text/csv' };
const MANY = 1_234;

const LISTS = authenticatedEndpoints.filter((endpoint) => 'list' in endpoint).map(({ path }) => `GET ${path}`);

const service = await forSuite(startService());
const own = await service.furnishedTenant('Boulangerie Martin');
const foreign = await service.furnishedTenant('Boulangerie Martin');
const token = await service.token('ADMIN', [own.clients]);
// The test changes every record of the client once, so that no list is empty, not even a list of changes.
const manager = await service.token('ADMIN');
for (const row of ROWS)
  if (row.line.startsWith('PUT') && row.body !== undefined) {
    await giveTo(service, 'ADMIN', row, own);
    expect((await service.ask(fill(row, own), { body: row.body(own), token: manager })).status).toBe(200);
  }
await service.sql`update public.factures
   set status = 'ISSUED', issue_date = app.paris_today(), due_date = app.paris_today() + 9
   where client_id = ${own.clients}`;
await service.admin(
  `insert into public.sites (client_id, site_name, address, created_at, updated_at)
     select $1, 'Site ' || n, case when n % 2 = 0 then E'Rue "A",\\r\\nLyon; ' || n end, d, d
     from generate_series(1, $2) as n, lateral (select timestamptz '2024-01-01' + n * interval '1 minute') as t (d)`,
  [own.clients, MANY],
);

type Records = Record<string, string>[];

/** Parses an answer in CSV; returns its first row, and its other rows by the names in the first row. */
function read({ text }: Answer): { header: readonly string[]; records: Records } {
  expect(text.startsWith('\uFEFF')).toBe(true);
  const [header = [], ...rows] = parse(text, { bom: true, record_delimiter: '\r\n' });
  expect(text.endsWith('\r\n')).toBe(true);
  return {
    header,
    records: rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']))),
  };
}

function cellOf(value: unknown): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

test.each(LISTS)('the list %s has the same fields and records as CSV and as JSON', async (line) => {
  const row = ROWS.find((one) => one.line === line);
  if (row === undefined) throw new Error(`${line} has no row in test/resources/access.ts`);
  const filled = fill(row, own);
  const json = (await service.ask(filled, { token })).json as Record<string, unknown>[];
  const answer = await service.ask(filled, { token, headers: csv });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(answer.headers['content-disposition']).toBe(`attachment; filename=${line.split('/').at(-1) ?? ''}.csv`);
  expect(answer.headers.vary?.split(', ')).toContain('Accept');
  for (const name of ['etag', 'link', 'x-total-count', 'content-length'])
    expect(answer.headers).not.toHaveProperty(name);
  const { header, records } = read(answer);
  expect(json.length).toBeGreaterThan(0);
  expect(header).toEqual(Object.keys(json[0] ?? {}));
  // The JSON answer is one page of at most 1,000 records, and the CSV has all records.
  expect(records.slice(0, json.length).map((record) => record['id'])).toEqual(json.map(({ id }) => id));
  const number = /^-?\d+\.\d+$/;
  const comparable = (cell: string) =>
    number.test(cell) ? String(Number(cell)) : cell.startsWith('{') ? JSON.stringify(JSON.parse(cell)) : cell;
  expect(Object.values(records[0] ?? {}).map(comparable)).toEqual(
    Object.values(json[0] ?? {})
      .map(cellOf)
      .map(comparable),
  );
});

describe('a CSV list is one complete file that spreadsheets can open safely', () => {
  test('a CSV list has the records of all pages in the order of the list, and keeps quotes and line breaks in texts', async () => {
    const { records } = read(await service.ask('GET /api/sites?sort=created_at', { token, headers: csv }));
    const written = records.filter(({ site_name }) => site_name?.startsWith('Site '));
    expect(written.map(({ site_name }) => site_name)).toEqual(
      Array.from({ length: MANY }, (_, index) => `Site ${index + 1}`),
    );
    expect(written[1]?.['address']).toBe('Rue "A",\r\nLyon; 2');
    expect(written[0]?.['address']).toBe('');
    expect(records.map(({ client_id }) => client_id)).not.toContain(foreign.clients);
    const everything = await service.token('ADMIN');
    for (const sort of ['-created_at', 'site_name', '-updated_at']) {
      const all = read(await service.ask(`GET /api/sites?sort=${sort}`, { token: everything, headers: csv }));
      const idsOf = (client: string) => all.records.filter(({ client_id }) => client_id === client).map(({ id }) => id);
      expect(idsOf(foreign.clients)).toEqual([foreign.sites]);
      expect(idsOf(own.clients).sort()).toEqual(records.map(({ id }) => id).sort());
    }
  });

  test('a CSV list has only the records that match the filters of the request', async () => {
    const found = await service.ask('GET /api/sites?q=Site%2012&sort=created_at', { token, headers: csv });
    const json = await service.ask('GET /api/sites?q=Site%2012&sort=created_at', { token });
    const ids = (json.json as { id: string }[]).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(40);
    expect(read(found).records.map(({ id }) => id)).toEqual(ids);
    const none = await service.ask('GET /api/sites?q=nothing', { token, headers: csv });
    expect(read(none)).toMatchObject({ header: expect.arrayContaining(['site_name']), records: [] });
  });

  test('a CSV list is compressed with gzip if the caller accepts gzip', async () => {
    const response = await fetch(`http://127.0.0.1:${service.port}/api/sites`, {
      headers: { ...csv, authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
    });
    const text = Buffer.from(await response.arrayBuffer()).toString();
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(text).toBe((await service.ask('GET /api/sites', { token, headers: csv })).text);
  });

  test('a CSV list quotes each text that a spreadsheet would run as a formula, and leaves numbers and phone numbers unchanged', async () => {
    const { clients } = await service.tenant('Own');
    const phones = ['+33612345678', '+33 4 78 00 00 00', '+33\u00A06.12\u202F34', '+33 (0)4 78 00'];
    const computed = ['+33-6', '+33 6*A1', '+33(1)', '+33 6 ', '+A1', '+', '+1;+2'];
    const texts = ['=1+1', '-x', '@SUM(A1)', '\t=1', "'=1", '＝1', ...phones, ...computed, '-12,5', '-3.5', 'a=1'];
    for (const text of texts)
      await service.admin(`insert into public.sites (client_id, site_name) values ($1, $2)`, [clients, text]);
    const limited = await service.token('CLIENT', [clients]);
    const { records } = read(await service.ask('GET /api/sites?sort=created_at', { token: limited, headers: csv }));
    expect(records.slice(1).map(({ site_name }) => site_name)).toEqual([
      ...["'=1+1", "'-x", "'@SUM(A1)", "'\t'=1", "''=1", "'＝1", ...phones],
      ...["'+33-6", "'+33 6*A1", "'+33(1)", "'+33 6 ", "'+A1", "'+", "'+1;'+2", '-12,5', '-3.5', 'a=1'],
    ]);
  });

  test('HEAD for a CSV list gets the CSV content type and no content', async () => {
    const head = await service.ask('HEAD /api/sites', { token, headers: csv });
    expect([head.status, head.text, head.headers['content-type']]).toEqual([
      200,
      '',
      'text/csv; charset=utf-8; header=present',
    ]);
  });
});

/** How Excel in French writes a value of a JSON list, by the formats of JavaScript for France. */
function inFrench(value: unknown): string {
  if (typeof value === 'number') return String(value).replace('.', ',');
  if (typeof value === 'boolean') return value ? 'VRAI' : 'FAUX';
  const text = cellOf(value);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return new Date(text).toLocaleDateString('fr', { timeZone: 'UTC' });
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return new Date(text).toLocaleString('fr', { timeZone: 'Europe/Paris' });
  return text;
}

describe('a CSV list with dialect=fr opens with a double click in Excel in French', () => {
  const readFrench = ({ text }: Answer): { header: readonly string[]; records: Records } => {
    expect(text.startsWith('\uFEFF')).toBe(true);
    const { data, errors, meta } = papaparse.parse<Record<string, string>>(text, {
      header: true,
      skipEmptyLines: true,
    });
    expect([meta.delimiter, errors]).toEqual([';', []]);
    return { header: meta.fields ?? [], records: data };
  };
  const withDialect = (line: string) => `${line}${line.includes('?') ? '&' : '?'}dialect=fr`;

  test.each(LISTS)('the list %s has the values of the JSON list in the form that France writes them', async (line) => {
    const row = ROWS.find((one) => one.line === line);
    if (row === undefined) throw new Error(`${line} has no row in test/resources/access.ts`);
    const json = (await service.ask(fill(row, own), { token })).json as Record<string, unknown>[];
    const answer = await service.ask(withDialect(fill(row, own)), { token, headers: csv });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    const { header, records } = readFrench(answer);
    expect(header).toEqual(Object.keys(json[0] ?? {}));
    const comparable = (cell: string) => {
      if (/^\d+,\d+$/.test(cell)) return cell.replace(/,?0+$/, '');
      return cell.startsWith('{') ? JSON.stringify(JSON.parse(cell)) : cell;
    };
    // The old and the new value of a change are texts, unless JSON has a number or a truth value.
    const expected = (name: string, value: unknown) =>
      ['old', 'new'].includes(name) && typeof value === 'string' ? value : comparable(inFrench(value));
    for (const [index, record] of json.slice(0, 3).entries())
      expect(Object.entries(records[index] ?? {}).map(([name, cell]) => [name, comparable(cell)])).toEqual(
        Object.entries(record).map(([name, value]) => [name, expected(name, value)]),
      );
  });

  test('an amount has two decimals behind a comma, also one without cents', async () => {
    const { records } = readFrench(await service.ask('GET /api/reclamations?dialect=fr', { token, headers: csv }));
    expect(records[0]?.['amount']).toMatch(/^\d+,\d\d$/);
  });

  test('a time is that of the clock in Paris, and a time of the hour that the clock showed twice keeps its zone', async () => {
    const times: readonly (readonly [string, string])[] = [
      ['2025-03-30T00:59:59Z', '30/03/2025 01:59:59'],
      ['2025-03-30T01:00:00Z', '30/03/2025 03:00:00'],
      ['2025-10-25T23:59:59Z', '26/10/2025 01:59:59'],
      ['2025-10-26T00:00:00Z', '2025-10-26T00:00:00.000Z'],
      ['2025-10-26T01:59:59Z', '2025-10-26T01:59:59.000Z'],
      ['2025-10-26T02:00:00Z', '26/10/2025 03:00:00'],
      ['2025-12-31T22:59:59.999Z', '31/12/2025 23:59:59'],
      ['2025-12-31T23:00:00Z', '01/01/2026 00:00:00'],
    ];
    const { clients } = await service.tenant('Own');
    for (const [time] of times)
      await service.admin(
        `insert into public.sites (client_id, site_name, created_at) values ($1, $2::text, $2::text::timestamptz)`,
        [...[clients, time]],
      );
    const limited = await service.token('CLIENT', [clients]);
    const { records } = readFrench(
      await service.ask('GET /api/sites?sort=created_at&dialect=fr&q=20', { token: limited, headers: csv }),
    );
    const shown = new Map(records.map((record) => [record['site_name'], record['created_at']]));
    expect(times.map(([time]) => [time, shown.get(time)])).toEqual(times);
  });

  test('a text keeps its form, even if it looks like a date, an amount or a truth value, and a formula stays a text', async () => {
    const texts = ['2024-12-31', '1234.5', 'true', '2024-12-31T00:00:00Z', '=1+1', 'a;b', 'a,b', '+33 4 78'];
    const { clients } = await service.tenant('Own');
    for (const text of texts)
      await service.admin(`insert into public.sites (client_id, site_name) values ($1, $2)`, [clients, text]);
    const limited = await service.token('CLIENT', [clients]);
    const { records } = readFrench(
      await service.ask('GET /api/sites?sort=created_at&dialect=fr', { token: limited, headers: csv }),
    );
    expect(records.slice(1).map(({ site_name }) => site_name)).toEqual(
      texts.map((text) => (text === '=1+1' ? "'=1+1" : text)),
    );
  });

  test('a request with an unknown dialect, or with a dialect for JSON, gets 400', async () => {
    const unknown = await service.ask('GET /api/sites?dialect=de', { token, headers: csv });
    expect(details(unknown)).toEqual({ dialect: 'must be fr' });
    const json = await service.ask('GET /api/sites?dialect=fr', { token });
    expect(details(json)).toEqual({ dialect: 'is allowed for text/csv alone: send Accept: text/csv' });
    const single = await service.ask(`GET /api/sites/${own.sites}?dialect=fr`, { token });
    expect(details(single)).toEqual({ dialect: 'is not known here' });
  });
});

describe('the Accept header of a request chooses between JSON and CSV', () => {
  test.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
    ['image/png', 'json'],
    ['', 'json'],
    ['text/csv;q=0', 'json'],
    ['text/csv;q=0.4, application/json;q=0.5', 'json'],
    ['text/csv, application/json;q=0.5', 'csv'],
    ['TEXT/CSV', 'csv'],
    ['text/*', 'csv'],
    ['text/csv, */*', 'csv'],
    ['text/csv; charset=utf-8', 'csv'],
  ])('a list that is requested with the Accept header %s is answered as %s', async (accept, kind) => {
    const headers = accept === undefined ? {} : { accept };
    const answer = await service.ask('GET /api/clients', { token, headers });
    expect(answer.headers['content-type']).toMatch(kind === 'csv' ? /^text\/csv/ : /^application\/json/);
    expect(answer.headers.vary?.split(', ')).toContain('Accept');
  });

  test('a single record is answered as JSON even if the caller accepts only CSV', async () => {
    const answer = await service.ask(`GET /api/sites/${own.sites}`, { token, headers: csv });
    expect(answer.json).toMatchObject({ id: own.sites });
  });
});

describe('a caller gets no CSV list without the right to read the list', () => {
  test('a request for another client’s list as CSV gets 403 and is audited, whether its path or a filter names the client', async () => {
    for (const line of [
      `GET /api/clients/${foreign.clients}/reclamations`,
      `GET /api/sites?client_id=${foreign.clients}`,
      `GET /api/reclamations?site_id=${foreign.sites}`,
      `GET /api/reclamations/${foreign.reclamations}/history`,
      `GET /api/reclamations/${foreign.reclamations}/documents`,
    ]) {
      const record = await expectRefusal(service, await service.ask(line, { token, headers: csv }), 'ERROR_FORBIDDEN');
      expect([line, record['client_context']]).toEqual([line, foreign.clients]);
    }
  });

  test('a CSV list of the history or documents of an unknown claim gets 404', async () => {
    const nobody = '11111111-1111-4111-8111-111111111111';
    for (const below of ['history', 'documents'])
      expectError(
        await service.ask(`GET /api/reclamations/${nobody}/${below}`, { token, headers: csv }),
        'ERROR_NOT_FOUND',
      );
  });

  test('a request for a list as CSV gets 403 if the caller’s role is not allowed to read the list, and 401 without a token', async () => {
    const client = await service.token('CLIENT', [own.clients]);
    expectError(await service.ask('GET /api/partners', { token: client, headers: csv }), 'ERROR_FORBIDDEN');
    expectError(await service.ask('GET /api/sites', { headers: csv }), 'ERROR_UNAUTHORIZED');
  });

  test('a CSV list gets 400 with the paging parameters limit, offset, count or after', async () => {
    const answer = await service.ask('GET /api/sites?limit=5&offset=0&count=exact', { token, headers: csv });
    expectError(answer, 'ERROR_VALIDATION');
    const rule = 'is not allowed for text/csv, which returns the whole list';
    expect(details(answer)).toEqual({ limit: rule, offset: rule, count: rule });
    const after = await service.ask('GET /api/sites?after=W10', { token, headers: csv });
    expect(details(after)).toEqual({ after: rule });
  });
});
