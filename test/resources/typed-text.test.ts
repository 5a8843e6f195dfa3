import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { allEndpoints } from '../../src/resources/index.ts';
import { findColumnEnum } from '../../src/records/column.ts';
import type { RecordDefinition } from '../../src/records/record.ts';
import { document } from '../support/described.ts';
import { expectError, problemsOf, startService } from '../support/service.ts';
import { literal } from '../support/rows.ts';
import { forSuite } from '../support/suite.ts';
import { ROWS } from './access.ts';
import { fill, giveTo } from './situations.ts';

/*
 * This suite tests that every field and every search reads text as people type and paste it: signs that nobody sees do
 * not count, for stored texts and for texts that are searched.
 */

const service = await forSuite(startService());
const token = await service.token('ADMIN');
const own = await service.furnishedTenant('Own');

type Fields = Readonly<Record<string, unknown>>;
type Reading = readonly [typed: string, read: string];

const LINE: Reading = [' \u00A0Du\u00ADpont\u202F  \u200BParis\u2011Nord\uFEFF\n', 'Dupont Paris-Nord'];
const PARAGRAPHS: Reading = ['\n Du\u00ADpont\u202F:\n  Paris\u2011Nord \u200B\n', 'Dupont\u202F:\n  Paris\u2011Nord'];

/** How each text field of a body is read; a new field of a record needs an entry. */
const READINGS: Readonly<Record<string, Reading>> = {
  ...{ company_name: LINE, site_name: LINE, name: LINE, phone: LINE, notice_reference: LINE },
  'partner_invoices.number': LINE,
  ...{ address: PARAGRAPHS, grounds: PARAGRAPHS, text: PARAGRAPHS },
  ...{ description: PARAGRAPHS, vat_exemption_reason: PARAGRAPHS },
  siren: ['732\u00A0829\u202F320 ', '732829320'],
  siret: ['732.829.320\u00A000074', '73282932000074'],
  commune_code: [' 69\u00A0290', '69290'],
  ...{ prefix: ['\u00A0012\u200B', '012'], section: [' ab', 'AB'], 'cadastres.number': ['01\u202F42 ', '0142'] },
  ...{ contact_email: [' a@b.example\u00A0', 'a@b.example'], email: ['ada@b.example\n', 'ada@b.example'] },
  // A program wrote the name of the file.
  filename: ['Avis\u00A0 2024\u2011\u200B1.pdf', 'Avis\u00A0 2024\u2011\u200B1.pdf'],
};

/** Fields that must have a visible sign; each other text may be empty. */
const NAMES = ['company_name', 'site_name', 'name', 'partner_invoices.number', 'text', 'filename'];
const NUMBERS = ['siren', 'siret', 'commune_code', 'prefix', 'section', 'cadastres.number', 'contact_email', 'email'];

/** Texts that a change accepts only together with a move to another status. */
const WITH_MOVE = ['status_reason'];

/** The record of each table that shows the most columns. */
const records = new Map(
  allEndpoints
    .flatMap(({ of }) => (of !== undefined && 'changeBody' in of ? [of as unknown as RecordDefinition] : []))
    .toSorted((one, other) => one.fields.length - other.fields.length)
    .map((of) => [of.table, of]),
);

const changed = ROWS.filter(
  ({ line, body }) => /^PUT \/api\/[\w-]+\/\{\w+\}$/.test(line) && body !== undefined,
).flatMap((row) => {
  const [table] = row.right;
  return Object.entries(records.get(table)?.columns ?? {}).flatMap(([name, { kind, change }]) => {
    const isTyped = kind.type === 'text' && change === 'set' && findColumnEnum(kind) === undefined;
    const field = `${table}.${name}` in READINGS ? `${table}.${name}` : name;
    return isTyped && !WITH_MOVE.includes(name) ? [[`${row.line} ${name}`, { row, name, field }] as const] : [];
  });
});

describe('a change of a record', () => {
  test('the table of readings names every text of every record', () => {
    expect([...new Set(changed.map(([, { field }]) => field))].toSorted()).toEqual(Object.keys(READINGS).toSorted());
  });

  test.each(changed)(
    'a user who sends %s stores the text without the signs that nobody sees, and cannot store a name of nothing visible',
    async (_title, { row, name, field }) => {
      const tenant = await service.furnishedTenant('Own');
      await giveTo(service, 'ADMIN', row, tenant);
      const send = (value: string) => service.ask(fill(row, tenant), { token, body: { [name]: value } });
      const [typed, read] = READINGS[field] ?? ['', ''];
      const answer = await send(typed);
      expect([answer.status, (answer.json as Fields)[name]]).toEqual([200, read]);
      const nothing = await send(' \u00A0\u00AD\u200B');
      if (NAMES.includes(field)) expect(problemsOf(nothing)).toMatchObject([{ field: name, code: 'blank' }]);
      else if (NUMBERS.includes(field)) expectError(nothing, 'ERROR_VALIDATION', expect.anything());
      else expect([nothing.status, (nothing.json as Fields)[name]]).toEqual([200, '']);
    },
  );

  test('a user who moves a claim cannot give a reason of nothing visible', async () => {
    const body = { status: 'WITHDRAWN', status_reason: '\u00A0\u200B' };
    const answer = await service.ask(`PUT /api/reclamations/${own.reclamations}`, { token, body });
    expect(problemsOf(answer)).toMatchObject([{ field: 'status_reason', code: 'blank' }]);
  });
});

test('a user who creates a client may repeat its name with other blanks', async () => {
  const body = { company_name: 'Dupont  Paris ', nom: 'Dupont\u00A0Paris', contact_email: 'a@b.example' };
  const answer = await service.ask('POST /api/clients', { token, body });
  expect([answer.status, answer.json]).toMatchObject([201, { company_name: 'Dupont Paris', nom: 'Dupont Paris' }]);
});

test('a user cannot store a bill of a partner twice by typing its number with other blanks', async () => {
  const { biller: partner_id, clients: client_id } = own;
  const bill = { partner_id, client_id, amount_excl_tax: 1, vat_amount: 0, amount_incl_tax: 1 };
  const send = (number: string) => service.ask('POST /api/partner-invoices', { token, body: { ...bill, number } });
  expect((await send('F 2024-7')).status).toBe(201);
  expectError(await send('\u00A0F\u202F 2024\u20117\u200B'), 'ERROR_CONFLICT', expect.anything());
});

test('a text of 255 characters may have further blanks around it', async () => {
  const change = (site_name: string) => service.ask(`PUT /api/sites/${own.sites}`, { token, body: { site_name } });
  expect((await change(` ${'x'.repeat(255)}\u200B`)).json).toMatchObject({ site_name: 'x'.repeat(255) });
  expect(problemsOf(await change(` ${'x'.repeat(256)}`))).toMatchObject([{ code: 'too_long' }]);
});

test('a user who imports a table may have signs that nobody sees in its first line and in its cells', async () => {
  const answer = await service.ask('POST /api/sites/import', {
    token,
    headers: { 'content-type': 'text/csv' },
    body: `\u200Bclient_id\u00A0;Site\u00A0name ;address\r\n ${own.clients}\u200B; Du\u00ADpont\u00A0 Nord;\u00A0\r\n`,
  });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  const { ids } = answer.json as { ids: string[] };
  expect(await service.sql`select site_name, address from public.sites where id = any (${ids})`).toEqual([
    { site_name: 'Dupont Nord', address: null },
  ]);
});

/** The paths of all lists with a search; a summary counts the records of its list. */
const SEARCHED = Object.entries(
  document.paths as Readonly<Record<string, { readonly get?: { readonly parameters?: readonly { name: string }[] } }>>,
).flatMap(([path, { get }]) =>
  !path.endsWith('/summary') && get?.parameters?.some(({ name }) => name === 'q') ? [path] : [],
);

/** For each searched table, the SQL that stores a text which an earlier release or another program has written. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...{ clients: 'company_name', sites: 'site_name', cadastres: 'address', reclamations: 'grounds' },
  ...{ documents: 'filename', partners: 'name', factures: 'number', partner_invoices: 'number', users: 'name' },
};
/** Only an issued invoice has a number, and a trigger chooses it. */
const ISSUED = `set session_replication_role = replica;
  update public.factures set status = 'ISSUED', number = id, issue_date = current_date, due_date = current_date where status = 'DRAFT';`;

/** Lists whose search splits words at every sign that is no letter. */
const WORD_LISTS = ['reclamations', 'documents'];

describe('a search', () => {
  const typed = [
    'dupont%20',
    '%20%20dupont',
    'dupont%E2%80%8B',
    'du%C2%ADpont',
    'DUPONT%20%20paris',
    'dupont%C2%A0paris',
    'paris%E2%80%91nord',
  ];
  const stored = [
    'Dupont Paris-Nord',
    'Dupont  Paris-Nord',
    'Dupont\u00A0Paris-Nord',
    'Dupont\tParis\u2011Nord ',
    'Dupont\r\nParis\u2010Nord',
  ];
  const ofWords = ['Du\u00ADpont \u200BParis-Nord'];

  test.each(SEARCHED)(
    'a user who searches %s finds a text whatever blanks and hyphens it was stored or is typed with',
    async (path) => {
      const tenant = await service.furnishedTenant('Own');
      const [of] = allEndpoints.flatMap((one) => (one.path === path && one.of !== undefined ? [one.of] : []));
      const table = of?.table ?? '';
      const column = COLUMNS[table] ?? '';
      const id = tenant[table as keyof typeof tenant];
      const list = `GET ${path.replace('{clientId}', tenant.clients).replace(/\{\w+\}/, tenant.reclamations)}`;
      for (const text of [...stored, ...(WORD_LISTS.includes(table) ? [] : ofWords)]) {
        await service.admin(
          `${table === 'factures' ? ISSUED : ''} update public.${table} set ${column} = ${literal(text)} where id = '${id}'`,
        );
        for (const q of typed) {
          const answer = await service.ask(`${list}?q=${q}`, { token });
          const found = (answer.json as { id: string }[]).filter((one) => one.id === id);
          expect([text, q, answer.status, found.length]).toEqual([text, q, 200, 1]);
        }
        const other = await service.ask(`${list}?q=dupont%20lyon`, { token });
        expect(other.json).toEqual([]);
      }
    },
  );
});

test('a user who filters by a number may type it in groups', async () => {
  const name = randomUUID();
  const body = { name, siret: '35600000000048' };
  const { id } = (await service.ask('POST /api/partners', { token, body })).json as { id: string };
  for (const query of ['siret=356%20000%20000%2000048', `q=%C2%A0${name}%20`]) {
    const answer = await service.ask(`GET /api/partners?${query}`, { token });
    expect((answer.json as Fields[]).map((one) => one['id'])).toEqual([id]);
  }
  const parcels = await service.ask('GET /api/cadastres?commune_code=75%20056,%C2%A069290', { token });
  expect(parcels.status).toBe(200);
});
