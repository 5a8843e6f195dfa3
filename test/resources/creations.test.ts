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
    amount_incl_tax: 'is not given at a creation: leave it out',
    surprise: 'is not known here',
  });
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

test('a user’s email is ASCII, because tokens are matched with it', async () => {
  const body = { email: 'comptabilité@société.fr', name: 'Ada', role: 'CLIENT', client_access: [own.clients] };
  expectError(await service.ask('POST /api/users', { token, body }), 'ERROR_VALIDATION', {
    email: 'must be an email address',
  });
});
