import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { collide } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { details, expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* The details of a 409 name the reason by field, for a form, without anything that the caller may not see. */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Own');
const second = await service.furnishedTenant('Second');
const foreign = await service.furnishedTenant('Foreign');
/** An account manager and an ADMIN of two clients, and an ADMIN of all. */
const manager = await service.token('ACCOUNT_MANAGER', [own.clients, second.clients]);
const limitedAdmin = await service.token('ADMIN', [own.clients, second.clients]);
const unlimitedAdmin = await service.token('ADMIN');

function ask(line: string, body?: object, token = manager): Promise<Answer> {
  return service.ask(line, { token, ...(body && { body }) });
}

/** The details of a 409. */
async function conflictDetails(answer: Promise<Answer>): Promise<unknown> {
  const settled = await answer;
  expectError(settled, 'ERROR_CONFLICT');
  return details(settled);
}

async function createdId(resource: string, body: object): Promise<string> {
  const answer = await ask(`POST /api/${resource}`, body, unlimitedAdmin);
  expect(answer.status).toBe(201);
  return (answer.json as { id: string }).id;
}

const claim = (tenant = own) =>
  createdId('reclamations', { client_id: tenant.clients, site_id: tenant.sites, claim_type: 'TF', amount: 1 });

async function issued(tenant = own): Promise<string> {
  const id = await createdId('invoices', { client_id: tenant.clients, amount_excl_tax: 100 });
  expect((await ask(`PUT /api/invoices/${id}`, { status: 'ISSUED' }, unlimitedAdmin)).status).toBe(200);
  return id;
}

test('an impossible status gets 409 with the statuses that the caller’s role may choose', async () => {
  const id = await claim();
  const close = { status: 'CLOSED' };
  expect(await conflictDetails(ask(`PUT /api/reclamations/${id}`, close))).toEqual({
    status: 'cannot be CLOSED now: from DRAFT you can move it to READY_FOR_REVIEW, WITHDRAWN',
  });
  const specialist = await service.token('TAX_SPECIALIST', [own.clients]);
  expect(await conflictDetails(ask(`PUT /api/reclamations/${id}`, close, specialist))).toEqual({
    status: 'cannot be CLOSED now: from DRAFT you can move it to READY_FOR_REVIEW',
  });
});

test('the present status gets 409: the record is already there', async () => {
  const id = await claim();
  expect(await conflictDetails(ask(`PUT /api/reclamations/${id}`, { status: 'DRAFT' }))).toEqual({
    status: 'is DRAFT already: from DRAFT you can move it to READY_FOR_REVIEW, WITHDRAWN',
  });
});

test('of two simultaneous moves of a claim the later gets 409 with the statuses that are possible now', async () => {
  const id = await claim();
  const move = (status: string) => () => ask(`PUT /api/reclamations/${id}`, { status });
  const answers = await collide(service, { table: 'reclamations', id }, [move('READY_FOR_REVIEW'), move('WITHDRAWN')]);
  const [refused] = answers.filter(({ status }) => status === 409);
  const [{ status } = { status: '' }] = answers.flatMap(({ json, status }) =>
    status === 200 ? [json as { status: string }] : [],
  );
  expect(refused && details(refused)).toEqual({
    status: `was moved meanwhile: from ${status} you can move it to ${
      status === 'WITHDRAWN' ? 'CLOSED' : 'APPROVED, DRAFT, WITHDRAWN'
    }`,
  });
});

describe('the fields that a record keeps', () => {
  const cannot = 'cannot change: it is what the record was created with';

  test.each([
    { path: 'reclamations', kind: 'reclamations', field: 'client_id', value: second.clients },
    { path: 'sites', kind: 'sites', field: 'client_id', value: second.clients },
    { path: 'invoices', kind: 'factures', field: 'client_id', value: second.clients },
    { path: 'partner-invoices', kind: 'partner_invoices', field: 'client_id', value: second.clients },
    { path: 'cadastres', kind: 'cadastres', field: 'site_id', value: second.sites },
    { path: 'partner-invoices', kind: 'partner_invoices', field: 'partner_id', value: own.partners },
  ] as const)('PUT /api/$path cannot change the $field: 409 names the field', async ({ path, kind, field, value }) => {
    for (const token of [manager, unlimitedAdmin]) {
      const answer = ask(`PUT /api/${path}/${own[kind]}`, { [field]: value }, token);
      expect(await conflictDetails(answer)).toEqual({ [field]: cannot });
    }
  });

  test('a 409 names both a field that cannot change and an impossible status', async () => {
    const body = { partner_id: own.partners, status: 'RECEIVED', number: 'F-1' };
    expect(await conflictDetails(ask(`PUT /api/partner-invoices/${own.partner_invoices}`, { ...body }))).toEqual({
      partner_id: cannot,
      status: expect.stringContaining('is RECEIVED already'),
    });
  });
});

test('a change of an issued invoice gets 409 that names the fields that cannot change', async () => {
  const id = await issued();
  const body = { amount_excl_tax: 1, vat_rate: 20, issue_date: '2026-01-01', due_date: '2199-01-01' };
  const closed = 'cannot change any more: the invoice is ISSUED';
  expect(await conflictDetails(ask(`PUT /api/invoices/${id}`, body))).toEqual({
    amount_excl_tax: closed,
    issue_date: closed,
  });
  expect(await conflictDetails(ask(`PUT /api/invoices/${id}`, { vat_rate: 5.5 }))).toEqual({ vat_rate: closed });
});

test('the deletion of an issued invoice gets 409 with the reason', async () => {
  const id = await issued();
  expect(await conflictDetails(ask(`DELETE /api/invoices/${id}`, undefined, limitedAdmin))).toEqual({
    status: 'is ISSUED: an invoice that was issued is never deleted',
  });
});

test('the deletion of a client gets 409 with the number of its issued invoices', async () => {
  const tenant = await service.furnishedTenant('Held');
  const token = await service.token('ADMIN', [tenant.clients]);
  await issued(tenant);
  await issued(tenant);
  await issued(foreign);
  for (const one of [token, unlimitedAdmin])
    expect(await conflictDetails(ask(`DELETE /api/clients/${tenant.clients}`, undefined, one))).toEqual({
      invoices: 'issued for this client, and never deleted: 2',
    });
});

test('the deletion of a partner gets 409 with the number of bills that the caller can see', async () => {
  const partner = await createdId('partners', { name: 'All', client_ids: [own.clients, foreign.clients] });
  const bill = (client_id: string) =>
    createdId('partner-invoices', { client_id, partner_id: partner, number: randomUUID(), amount_excl_tax: 1 });
  const remove = (token: string) => conflictDetails(ask(`DELETE /api/partners/${partner}`, undefined, token));
  // The partner also has a foreign client.
  expect(await remove(limitedAdmin)).toEqual({ id: 'is of a record that is still in use' });
  await bill(foreign.clients);
  await bill(foreign.clients);
  expect(await remove(limitedAdmin)).toEqual({ id: 'is of a record that is still in use' });
  await bill(own.clients);
  expect(await remove(limitedAdmin)).toEqual({ partner_invoices: 'bills of this partner: 1' });
  expect(await remove(unlimitedAdmin)).toEqual({ partner_invoices: 'bills of this partner: 3' });
});

test('a new user with a stored email gets 409, with the id of the other user only if the caller can see that user', async () => {
  const user = (client: string) => ({
    ...{ email: `${randomUUID()}@b.example`, name: 'Zoé', role: 'CLIENT', client_access: [client] },
  });
  const [seen, unseen] = [user(own.clients), user(foreign.clients)];
  const [id, other] = [await createdId('users', seen), await createdId('users', unseen)];
  const taken = { email: 'must not be the address of another user' };
  const again = (body: object, token: string) => conflictDetails(ask('POST /api/users', body, token));
  const inCapitals = { ...user(own.clients), email: seen.email.toUpperCase() };
  expect(await again(inCapitals, limitedAdmin)).toEqual({ ...taken, existing_id: id });
  const stranger = { ...user(own.clients), email: unseen.email };
  expect(await again(stranger, limitedAdmin)).toEqual(taken);
  expect(await again(stranger, unlimitedAdmin)).toEqual({ ...taken, existing_id: other });
});

test('a bill with a used number gets 409 with the id of the other bill, but another client’s bill may have that number', async () => {
  const body = { client_id: own.clients, partner_id: own.biller, number: 'N', amount_excl_tax: 1 };
  await service.admin('insert into public.client_partners values ($1, $2)', [second.clients, own.biller]);
  await createdId('partner-invoices', { ...body, client_id: second.clients });
  const id = await createdId('partner-invoices', body);
  expect(await conflictDetails(ask('POST /api/partner-invoices', body))).toEqual({
    number: 'must be one that the partner has not used for this client',
    existing_id: id,
  });
});

test.each([{}, { prefix: '123' }])(
  'a parcel that the site already has gets 409 with its id; further fields: %j',
  async (prefix) => {
    const parcel = { site_id: own.sites, commune_code: '2A004', section: 'AB', number: '0042', ...prefix };
    const id = await createdId('cadastres', parcel);
    expect(await conflictDetails(ask('POST /api/cadastres', parcel))).toEqual({
      number: 'must be of a parcel that the site lacks',
      existing_id: id,
    });
    await ask(`DELETE /api/cadastres/${id}`, undefined, unlimitedAdmin);
    expect((await ask('POST /api/cadastres', parcel)).status).toBe(201);
  },
);
