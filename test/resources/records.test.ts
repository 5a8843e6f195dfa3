import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { reclamation } from '../../src/resources/reclamation-record.ts';
import { collide } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { expectError, expectInvalid, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import type { Tenant } from '../support/tenant.ts';

/*
 * This suite tests the creation of a record of each resource: the stored fields, and the values that the API refuses.
 */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Own');
const second = await service.furnishedTenant('Second');
const foreign = await service.furnishedTenant('Foreign');
const manager = await service.token('ACCOUNT_MANAGER', [own.clients, second.clients]);
const unlimitedAdmin = await service.token('ADMIN');

let serial = 0;

/**
 * For each resource, the fields without which a record cannot be created. Each call returns a new number of the record.
 */
const LEAST = {
  cadastres: () => ({
    ...{ site_id: own.sites, commune_code: '75056', section: 'ZZ' },
    number: String((serial += 1)).padStart(4, '0'),
  }),
  reclamations: () => ({ client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: 1 }),
  invoices: () => ({ client_id: own.clients, amount_excl_tax: 100 }),
  'partner-invoices': () => ({
    ...{ client_id: own.clients, partner_id: own.biller, number: randomUUID(), amount_excl_tax: 100 },
  }),
  partners: () => ({ name: 'Apporteur', client_ids: [own.clients] }),
};
type Resource = keyof typeof LEAST;

const create = (resource: Resource, body: object = {}, token = manager): Promise<Answer> =>
  service.ask(`POST /api/${resource}`, { token, body: { ...LEAST[resource](), ...body } });
const put = (resource: Resource, id: string, body: object, token = manager): Promise<Answer> =>
  service.ask(`PUT /api/${resource}/${id}`, { token, body });

async function createdId(resource: Resource, body?: object): Promise<string> {
  const answer = await create(resource, body);
  expect(answer.status).toBe(201);
  return (answer.json as { id: string }).id;
}

const PARCEL = { commune_code: '2A004', section: 'AB', number: '0042', area_m2: 320, address: 'Cours Napoléon' };
const PRINTED = { amount_excl_tax: 99.99, vat_rate: 20, vat_amount: 19.99, amount_incl_tax: 119.98 };
const NOTICE = { commune_code: '2A004', notice_reference: 'AR-1', collection_date: '2025-10-31' };
const DECISION = { decision_date: '2026-03-01', court_deadline: '2026-05-01', grounds: 'Erreur de surface' };

/**
 * Each row has the name of a resource, the request body of a creation, the fields of the created record that differ
 * from that body, and how the JSON text of the response writes amounts.
 */
const MADE: readonly (readonly [resource: string, sent: object, differing: object, text?: string])[] = [
  [
    'clients',
    { company_name: 'Société 1', contact_email: 'a@b.example', address: 'Lyon' },
    { nom: 'Société 1', siren: null },
  ],
  [
    'cadastres',
    { site_id: own.sites, ...PARCEL, rental_value: '1234.5', reference_year: 2025 },
    { prefix: '000', reference: '2A004000AB0042', rental_value: 1234.5 },
    '"rental_value":1234.50,',
  ],
  [
    'reclamations',
    {
      ...{ client_id: own.clients, site_id: own.sites, claim_type: 'CFE', amount: 1000, tax_year: 2025 },
      ...{ ...NOTICE, ...DECISION, submitted_at: '2026-01-31T12:00:00.000Z', granted_amount: 0.1, refund_amount: 0 },
    },
    {
      status: 'DRAFT',
      claim_deadline: '2026-12-31',
      response_due_at: '2026-07-31T21:59:59.000Z',
      response_extended: false,
      response_is_estimate: true,
      assignee_id: null,
    },
    '"amount":1000.00,',
  ],
  [
    'invoices',
    {
      ...{ client_id: own.clients, reclamation_id: own.reclamations, due_date: '2027-01-31', vat_rate: '5.5' },
      ...{ amount_excl_tax: '1000.10', status: 'DRAFT' },
    },
    {
      ...{ kind: 'INVOICE', credits_id: null, service_date: null, description: null, vat_exemption_reason: null },
      ...{ buyer_name: null, buyer_address: null, buyer_siren: null },
      ...{ number: null, issue_date: null, paid_at: null, amount_excl_tax: 1000.1, vat_rate: 5.5 },
      ...{ vat_amount: 55.01, amount_incl_tax: 1055.11 },
    },
    '"amount_excl_tax":1000.10,"vat_rate":5.50,',
  ],
  [
    'partner-invoices',
    {
      ...{ partner_id: own.biller, client_id: own.clients, invoice_id: own.factures, number: 'F-2026/17' },
      ...{ issue_date: '2026-03-01', due_date: '2026-03-31', status: 'RECEIVED', ...PRINTED },
    },
    { paid_at: null },
  ],
  [
    'partners',
    {
      ...{ name: 'Cabinet Durand', siret: '73282932000074', contact_email: 'a@b.example', phone: '+33 1' },
      ...{ address: null, commission_rate: '7.5' },
      client_ids: [second.clients, own.clients, own.clients.toUpperCase()],
    },
    { commission_rate: 7.5, client_ids: [own.clients, second.clients].toSorted() },
    '"commission_rate":7.50,',
  ],
];

test.each(MADE)('POST /api/%s with %j creates a record that GET returns', async (resource, sent, differing, text) => {
  const answer = await service.ask(`POST /api/${resource}`, { token: unlimitedAdmin, body: sent });
  const { id } = answer.json as { id: string };
  expect([answer.status, answer.json]).toEqual([
    201,
    {
      ...(resource === 'reclamations' && Object.fromEntries(reclamation.fields.map((name) => [name, null]))),
      ...{ ...sent, ...differing },
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    },
  ]);
  if (text !== undefined) expect(answer.text).toContain(text);
  expect(answer.headers.location).toBe(`/api/${resource}/${id}`);
  const read = await service.ask(`GET /api/${resource}/${id}`, { token: unlimitedAdmin });
  expect([read.json, read.headers.etag]).toEqual([answer.json, answer.headers.etag]);
});

/** Values that a field of a resource never accepts. */
const NEVER: Readonly<Partial<Record<Resource, Readonly<Record<string, readonly unknown[]>>>>> = {
  cadastres: {
    commune_code: ['2C004', '7505'],
    prefix: ['', '1234', 'A', null],
    section: ['', 'ABC', 'À'],
    number: ['', '00421', 'A', '٠٠٤٢'],
    area_m2: [-1, 2_147_483_648, 1.5],
    rental_value: ['0.001', '10000000000'],
    reference_year: [1899],
    site_id: ['nowhere'],
  },
  invoices: {
    amount_excl_tax: ['0.001', -1, '5000000000'],
    vat_rate: [100.5],
    issue_date: ['2026-02-30'],
    status: ['ISSUED', 'LOST'],
    paid_at: ['2026-01-01T00:00:00.000Z'],
    client_id: ['me'],
  },
  'partner-invoices': {
    number: ['', 'x'.repeat(51)],
    amount_excl_tax: ['1.001'],
    vat_amount: [-1],
    amount_incl_tax: ['9999999999.99'],
    status: ['PAID'],
    partner_id: [null],
    paid_at: [null],
  },
  partners: {
    siret: ['00000000000000', '00000000000018', '73282932000075', '7328293200007', '7328293200007é', '35600000000002'],
    commission_rate: ['100.01', 0.001, -1],
    name: [' '],
    contact_email: ['nobody'],
    phone: ['x'.repeat(51)],
    client_ids: ['all'],
  },
};

test.each(
  Object.entries(NEVER).flatMap(([resource, fields]) =>
    Object.entries(fields).flatMap(([field, values]) =>
      values.map((value) => [resource as Resource, field, value] as const),
    ),
  ),
)('POST /api/%s answers 400 if the field %s has the value %j', async (resource, field, value) => {
  expectInvalid(await create(resource, { [field]: value }), [field]);
});

test.each(['invoices', 'partner-invoices'] as const)(
  'POST /api/%s refuses a due date before the issue date',
  async (resource) => {
    const answer = await create(resource, { issue_date: '2026-02-01', due_date: '2026-01-31' });
    expectError(answer, 'ERROR_VALIDATION', { due_date: expect.any(String) });
  },
);

/**
 * Fields of a record that refer to another record, which must belong to the same client unless `isAnyClient` is true.
 */
const REFERENCES: readonly (readonly [Resource, string, keyof Tenant, string, isAnyClient?: true])[] = [
  ['cadastres', 'site_id', 'sites', 'cadastres', true],
  ['reclamations', 'site_id', 'sites', 'reclamations'],
  ['invoices', 'reclamation_id', 'reclamations', 'factures'],
  ['partner-invoices', 'invoice_id', 'factures', 'partner_invoices'],
];

describe.each(REFERENCES)('the reference from %s by the field %s', (resource, field, kind, table, isAnyClient) => {
  /** Returns the responses to the creation and to the change of a record whose reference field has the given id. */
  const refer = async (id: string, token = manager): Promise<Answer[]> => [
    await create(resource, { [field]: id }, token),
    ...(isAnyClient ? [] : [await put(resource, await createdId(resource), { [field]: id }, token)]),
  ];

  test(`the ${field} of ${resource} cannot name another tenant’s record: 403, audited with that tenant’s client`, async () => {
    for (const answer of await refer(foreign[kind]))
      await expectRefusal(service, answer, 'ERROR_FORBIDDEN', {
        ...{ resource_type: table, client_context: foreign.clients },
      });
  });

  if (!isAnyClient)
    test(`the ${field} of ${resource} cannot name a record of another client of the same caller: 409`, async () => {
      for (const answers of [await refer(second[kind]), await refer(foreign[kind], unlimitedAdmin)])
        for (const answer of answers) expectError(answer, 'ERROR_CONFLICT', { [field]: expect.any(String) });
    });

  test(`a creation or change of ${resource} with an unknown ${field} gets 404, and with a ${field} of the same client it succeeds`, async () => {
    for (const token of [manager, unlimitedAdmin])
      for (const answer of await refer(randomUUID(), token))
        expectError(answer, 'ERROR_NOT_FOUND', { [field]: expect.any(String) });
    for (const answer of await refer(own[kind])) expect(answer.status).toBeLessThan(300);
  });
});

test.each([{ status: 'ISSUED' }, { status: 'ISSUED', due_date: '2199-01-01' }])(
  'of three simultaneous changes of one invoice by %j, one succeeds and two get 409',
  async (body) => {
    const id = await createdId('invoices');
    const send = [1, 2, 3].map(() => () => put('invoices', id, body));
    const answers = await collide(service, { table: 'factures', id }, send);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  },
);

test('the creation of an invoice of an unknown client gets 404', async () => {
  const answer = await create('invoices', { client_id: randomUUID() }, unlimitedAdmin);
  expectError(answer, 'ERROR_NOT_FOUND', { client_id: expect.any(String) });
});

test('a change of a parcel’s prefix and section changes the parcel’s reference, keeps other fields, and ignores read-only fields', async () => {
  const id = await createdId('cadastres', { address: 'Ancienne' });
  const before = (await service.ask(`GET /api/cadastres/${id}`, { token: manager })).json as object;
  const changed = { prefix: '123', section: '0C', area_m2: null };
  const { json } = await put('cadastres', id, { ...before, ...changed });
  expect(json).toMatchObject({ ...changed, address: 'Ancienne' });
  expect((json as { reference: string }).reference).toMatch(/^750561230C\d{4}$/);
});

test.each([
  [{ section: 'a', number: '42' }, '750560000A0042'],
  [{ section: '1', number: '1', prefix: '7' }, '75056007010001'],
  [{ section: 'bx', number: '9999', prefix: '99' }, '75056099BX9999'],
])(
  'a parcel entered as %j has its parts padded and in capital letters, and no user stores it twice at a site',
  async (parts, reference) => {
    const { json } = await create('cadastres', parts);
    expect(json).toMatchObject({
      ...{ reference, prefix: reference.slice(5, 8), section: reference.slice(8, 10), number: reference.slice(10) },
    });
    const { id } = json as { id: string };
    expectError(await create('cadastres', parts), 'ERROR_CONFLICT', { number: expect.any(String), existing_id: id });
    expect((await create('cadastres', { ...parts, site_id: second.sites })).status).toBe(201);
    const other = await createdId('cadastres');
    expectError(await put('cadastres', other, { prefix: '000', ...parts }), 'ERROR_CONFLICT', {
      number: expect.any(String),
    });
    expect((await put('cadastres', id, { section: '0C' })).json).toMatchObject({ section: '0C' });
    expect((await put('cadastres', id, parts)).json).toMatchObject({ reference });
  },
);

test('a deleted client that the token still names gets 404, and a client without claims has an empty list of claims', async () => {
  const [gone, bare] = [randomUUID(), randomUUID()];
  const token = await service.token('CLIENT', [gone, bare]);
  for (const below of ['', '/reclamations'])
    expectError(await service.ask(`GET /api/clients/${gone}${below}`, { token }), 'ERROR_NOT_FOUND');
  await service.sql`insert into public.clients (id, company_name, contact_email) values (${bare}, 'Bare', 'a@b')`;
  expect((await service.ask(`GET /api/clients/${bare}/reclamations`, { token })).json).toEqual([]);
});

test('an ADMIN reads writes and refusals in the audit log, newest first, with every field', async () => {
  const sub = `idp|${randomUUID()}`;
  const token = await service.token('ACCOUNT_MANAGER', [own.clients], { sub });
  const [headers, action] = [{ 'user-agent': 'Navigateur/1' }, `PUT /api/sites/${own.sites}`];
  expect((await service.ask(action, { token, headers, body: { address: 'Lyon' } })).status).toBe(200);
  expect((await service.ask(`DELETE /api/clients/${own.clients}`, { token })).status).toBe(403);
  const query = `actor=${encodeURIComponent(sub)}`;
  const { json } = await service.ask(`GET /api/audit-logs?${query}`, { token: unlimitedAdmin });
  expect(json).toEqual([
    expect.objectContaining({ success: false, error_message: expect.any(String) }),
    {
      ...{ user_id: null, actor: sub, action, resource_type: 'sites', resource_id: own.sites },
      ...{ client_context: own.clients, success: true, error_message: null, ip_address: '127.0.0.1' },
      ...{ user_agent: 'Navigateur/1', id: expect.any(String), request_id: expect.any(String) },
      created_at: expect.stringMatching(/Z$/),
    },
  ]);
});
