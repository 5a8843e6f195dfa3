import { expect, test } from '@jest/globals';
import { document, resolved } from '../support/described.ts';
import type { Answer } from '../support/http.ts';
import { expectError, problemsOf, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { ROWS, type Row } from './access.ts';
import { fill, questionOf } from './situations.ts';

/*
 * This suite tests that an endpoint that creates a record stores each field of the request body or refuses the request.
 */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Own');
const token = await service.token('ADMIN');

const creations = ROWS.filter(({ line, right, body }) => line.startsWith('POST') && right[1] === 'c' && body);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the fields of a created record in the response to a POST, including the fields that the parameter `expand`
 * adds.
 */
function fieldsOf(path: string): readonly string[] {
  const responses = (document.paths as Readonly<Record<string, Fields>>)[path]?.['post'] as Fields;
  const created = (responses['responses'] as Fields)['201'] as Fields;
  const { schema } = (created['content'] as Fields)['application/json'] as { readonly schema: object };
  return Object.keys((resolved(schema) as { readonly properties: object }).properties);
}

const send = (row: Row, given: Fields = {}): Promise<Answer> =>
  service.ask(fill(row, own), { token, ...questionOf(row, own, given) });

/** Returns the record that a POST, or an import of a single record, has created. */
async function createdRecord(path: string, answer: Answer): Promise<Fields> {
  const { ids: [imported] = [] } = answer.json as { readonly ids?: readonly string[] };
  if (imported === undefined) return answer.json as Fields;
  return (await service.ask(`GET ${path}/${imported}`, { token })).json as Fields;
}

test.each(creations.map((row) => [row.line, row] as const))(
  'the endpoint %s stores each field of the request body, or answers 400 and names the field',
  async (line, row) => {
    const path = line.replace('POST ', '').replace('/import', '');
    const [sent, fields] = [row.body?.(own) ?? {}, fieldsOf(path)];
    const record = await createdRecord(path, await send(row));
    expect(fields).toEqual(expect.arrayContaining(['id', 'created_at', 'updated_at']));
    const others = fields.filter((field) => !(field in sent));
    const ignored: string[] = [];
    for (const field of others)
      for (const value of ['x', record[field] ?? null]) {
        const answer = await send(row, { [field]: value });
        if (answer.status === 201) {
          if ((await createdRecord(path, answer))[field] !== value) ignored.push(`${field}: ${JSON.stringify(value)}`);
          continue;
        }
        expectError(answer, 'ERROR_VALIDATION');
        const named = problemsOf(answer).map((problem) => problem.field);
        expect([field, value, named]).toEqual([field, value, [field]]);
      }
    expect(ignored).toEqual([]);
  },
);

test('a client is created with nom only if nom is the same text as company_name', async () => {
  const body = { company_name: 'Garage Dupont', contact_email: 'a@b.example' };
  const create = (nom: string) => service.ask('POST /api/clients', { token, body: { ...body, nom } });
  expectError(await create('Garage Durand'), 'ERROR_VALIDATION', { nom: 'must be the same text as company_name' });
  const { status, json, headers } = await create(body.company_name);
  expect([status, json]).toEqual([201, expect.objectContaining({ ...body, nom: body.company_name })]);
  const changed = await service.ask(`PUT ${headers.location}`, {
    token,
    body: { ...(json as object), company_name: 'Garage Durand' },
  });
  expect([changed.status, changed.json]).toEqual([200, expect.objectContaining({ nom: 'Garage Durand' })]);
});

test('a request that creates a record gets 400 if it contains a forbidden field, and the error says to leave the field out', async () => {
  const body = { client_id: own.clients, amount_excl_tax: 1, amount_incl_tax: 1, surprise: 1 };
  expectError(await service.ask('POST /api/invoices', { token, body }), 'ERROR_VALIDATION', {
    amount_incl_tax: 'cannot be given at creation: leave it out',
    surprise: 'is not known here',
  });
});

const DERIVED = [
  ['reclamations', 'response_is_estimate', true],
  ['reclamations', 'submitted_amount', 1],
  ['invoices', 'number', '2026-000001'],
  ['invoices', 'vat_amount', 0.01],
  ['invoices', 'amount_incl_tax', 0],
  ['invoices', 'buyer_name', 'x'],
  ['invoices', 'buyer_address', 'x'],
  ['invoices', 'buyer_siren', '732829320'],
] as const;

test.each(DERIVED)(
  'a change of %s, alone or among many, refuses another %s than the stored one, and accepts a whole record',
  async (path, name, other) => {
    const id = path === 'invoices' ? own.factures : own.reclamations;
    const read = async () => (await service.ask(`GET /api/${path}/${id}`, { token })).json as Fields;
    const [before, wrong] = [
      await read(),
      'is computed by the service, and differs from the stored value: leave it out',
    ];
    expect(before[name]).not.toBe(other);
    const put = (body: object) => service.ask(`PUT /api/${path}/${id}`, { token, body });
    const putMany = (body: object) =>
      service.ask(`POST /api/${path}/changes`, { token, body: { changes: [{ id, ...body }] } });
    const few = path === 'invoices' ? { description: 'x' } : { grounds: 'x' };
    for (const given of [{ [name]: other }, { ...few, [name]: other }]) {
      expectError(await put(given), 'ERROR_CONFLICT', { [name]: wrong });
      expectError(await putMany(given), 'ERROR_CONFLICT', { [`0.${name}`]: wrong });
    }
    expectError(await put({ ...before, [name]: other }), 'ERROR_CONFLICT', { [name]: wrong });
    expect(await read()).toEqual(before);
    expect((await put({ ...before, ...few })).json).toMatchObject({ ...few, [name]: before[name] });
    expect((await putMany({ ...few, [name]: before[name] })).status).toBe(200);
  },
);

test('a change refuses a null for a derived field that has a value', async () => {
  const put = (body: object) => service.ask(`PUT /api/invoices/${own.factures}`, { token, body });
  expectError(await put({ amount_incl_tax: null }), 'ERROR_VALIDATION', { amount_incl_tax: expect.any(String) });
  expect((await put({ number: null, buyer_name: null, description: null })).status).toBe(200);
});

const INTERNATIONAL = ['comptabilité@société.fr', 'θσερ@εχαμπλε.ψομ', 'jürgen.müller+taxe@xn--mnchen-3ya.example'];
const MALFORMED = [
  ...[
    'comptabilité',
    'é@',
    '@société.fr',
    'é@société',
    'a é@société.fr',
    'é@soci été.fr',
    'é@société..fr',
    '.é@société.fr',
  ],
  ...[
    'é..e@société.fr',
    'é@-société.fr',
    'é@société.fr\r\nBcc: x@y.example',
    'é\u0007@société.fr',
    'é\u200b@société.fr',
  ],
  ...[
    'é@société.fr,a@b.example',
    '<é@société.fr>',
    'é\u00a0@société.fr',
    'é\u202e@société.fr',
    'é@société.f1',
    'é@é@b.fr',
  ],
];

test.each([
  ['clients', { company_name: 'Société' }],
  ['partners', { name: 'Société', client_ids: [own.clients] }],
])(
  'POST /api/%s accepts a contact_email with letters of any alphabet, and refuses a text that is no email',
  async (path, fields) => {
    const create = (contact_email: string) =>
      service.ask(`POST /api/${path}`, { token, body: { ...fields, contact_email } });
    for (const contact_email of INTERNATIONAL)
      expect((await create(contact_email)).json).toMatchObject({ ...fields, contact_email });
    for (const contact_email of MALFORMED)
      expectError(await create(contact_email), 'ERROR_VALIDATION', { contact_email: 'must be an email address' });
  },
);

test('a user’s email with letters outside ASCII is refused, because a login finds its user by the email', async () => {
  const body = { email: 'comptabilité@société.fr', name: 'Ada', role: 'CLIENT', client_access: [own.clients] };
  expectError(await service.ask('POST /api/users', { token, body }), 'ERROR_VALIDATION', {
    email: 'must be an email address',
  });
});
