import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { collide } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { details, expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* A conflict says why, by field, in words that a form can show, and nothing that the caller may not see. */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Own');
const second = await service.furnishedTenant('Second');
const foreign = await service.furnishedTenant('Foreign');
/** An account manager and an ADMIN of two clients, and an ADMIN of all. */
const manager = await service.token('ACCOUNT_MANAGER', [own.clients, second.clients]);
const chief = await service.token('ADMIN', [own.clients, second.clients]);
const everywhere = await service.token('ADMIN');

function ask(line: string, body?: object, token = manager): Promise<Answer> {
  return service.ask(line, { token, ...(body && { body }) });
}

/** The reasons of a conflict. */
async function why(answer: Promise<Answer>): Promise<unknown> {
  const settled = await answer;
  expectError(settled, 'ERROR_CONFLICT');
  return details(settled);
}

async function made(resource: string, body: object): Promise<string> {
  const answer = await ask(`POST /api/${resource}`, body, everywhere);
  expect(answer.status).toBe(201);
  return (answer.json as { id: string }).id;
}

const claim = (tenant = own) =>
  made('reclamations', {
    ...{ client_id: tenant.clients, site_id: tenant.sites, claim_type: 'TF', amount: 1 },
  });

async function issued(tenant = own): Promise<string> {
  const id = await made('invoices', { client_id: tenant.clients, amount_excl_tax: 100 });
  expect((await ask(`PUT /api/invoices/${id}`, { status: 'ISSUED' }, everywhere)).status).toBe(200);
  return id;
}

describe('a move that is not possible', () => {
  test('says which are, for whoever asks', async () => {
    const id = await claim();
    const close = { status: 'CLOSED' };
    expect(await why(ask(`PUT /api/reclamations/${id}`, close))).toEqual({
      status: 'cannot be CLOSED now: from DRAFT you can move it to READY_FOR_REVIEW, WITHDRAWN',
    });
    const specialist = await service.token('TAX_SPECIALIST', [own.clients]);
    expect(await why(ask(`PUT /api/reclamations/${id}`, close, specialist))).toEqual({
      status: 'cannot be CLOSED now: from DRAFT you can move it to READY_FOR_REVIEW',
    });
  });

  test('says that the record is there already', async () => {
    const id = await claim();
    expect(await why(ask(`PUT /api/reclamations/${id}`, { status: 'DRAFT' }))).toEqual({
      status: 'is DRAFT already: from DRAFT you can move it to READY_FOR_REVIEW, WITHDRAWN',
    });
  });

  test('says that another was faster, and where to go on', async () => {
    const id = await claim();
    const move = (status: string) => () => ask(`PUT /api/reclamations/${id}`, { status });
    const answers = await collide(service, { table: 'reclamations', id }, [
      move('READY_FOR_REVIEW'),
      move('WITHDRAWN'),
    ]);
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
});

describe('what a record is created with', () => {
  const cannot = 'cannot change: it is what the record was created with';

  test.each([
    ['a claim', 'reclamations', 'reclamations', 'client_id', () => second.clients],
    ['a site', 'sites', 'sites', 'client_id', () => second.clients],
    ['an invoice', 'invoices', 'factures', 'client_id', () => second.clients],
    ['a partner’s bill', 'partner-invoices', 'partner_invoices', 'client_id', () => second.clients],
    ['a parcel', 'cadastres', 'cadastres', 'site_id', () => second.sites],
    ['a partner’s bill', 'partner-invoices', 'partner_invoices', 'partner_id', () => own.partners],
  ] as const)('%s (%s) does not change: %s %s', async (_what, path, kind, field, value) => {
    for (const token of [manager, everywhere]) {
      const answer = ask(`PUT /api/${path}/${own[kind]}`, { [field]: value() }, token);
      expect(await why(answer)).toEqual({ [field]: cannot });
    }
  });

  test('is told with a move that is none either', async () => {
    const body = { partner_id: own.partners, status: 'RECEIVED', number: 'F-1' };
    expect(await why(ask(`PUT /api/partner-invoices/${own.partner_invoices}`, { ...body }))).toEqual({
      partner_id: cannot,
      status: expect.stringContaining('is RECEIVED already'),
    });
  });
});

describe('an invoice that was issued', () => {
  test('says which of the fields are closed', async () => {
    const id = await issued();
    const body = { amount_excl_tax: 1, vat_rate: 20, issue_date: '2026-01-01', due_date: '2199-01-01' };
    const closed = 'cannot change any more: the invoice is ISSUED';
    expect(await why(ask(`PUT /api/invoices/${id}`, body))).toEqual({
      amount_excl_tax: closed,
      issue_date: closed,
    });
    expect(await why(ask(`PUT /api/invoices/${id}`, { vat_rate: 5.5 }))).toEqual({ vat_rate: closed });
  });

  test('says why it is not deleted', async () => {
    const id = await issued();
    expect(await why(ask(`DELETE /api/invoices/${id}`, undefined, chief))).toEqual({
      status: 'is ISSUED: an invoice that was issued is never deleted',
    });
  });
});

describe('what still hangs', () => {
  test('on a client is counted: the invoices that were issued, and no draft', async () => {
    const tenant = await service.furnishedTenant('Held');
    const token = await service.token('ADMIN', [tenant.clients]);
    await issued(tenant);
    await issued(tenant);
    await issued(foreign);
    for (const one of [token, everywhere])
      expect(await why(ask(`DELETE /api/clients/${tenant.clients}`, undefined, one))).toEqual({
        invoices: 'issued for this client, and never deleted: 2',
      });
  });

  test('on a partner is counted as far as the caller sees, and no further', async () => {
    const partner = await made('partners', { name: 'All', client_ids: [own.clients, foreign.clients] });
    const bill = (client_id: string) =>
      made('partner-invoices', { client_id, partner_id: partner, number: randomUUID(), amount_excl_tax: 1 });
    const remove = (token: string) => why(ask(`DELETE /api/partners/${partner}`, undefined, token));
    // Others have it as well.
    expect(await remove(chief)).toEqual({ id: 'is of a record that is still in use' });
    await bill(foreign.clients);
    await bill(foreign.clients);
    expect(await remove(chief)).toEqual({ id: 'is of a record that is still in use' });
    await bill(own.clients);
    expect(await remove(chief)).toEqual({ partner_invoices: 'bills of this partner: 1' });
    expect(await remove(everywhere)).toEqual({ partner_invoices: 'bills of this partner: 3' });
  });
});

describe('what exists already', () => {
  test('is told of an email, with the id of whoever has it where the caller sees that user', async () => {
    const user = (client: string) => ({
      ...{ email: `${randomUUID()}@b.example`, name: 'Zoé', role: 'CLIENT', client_access: [client] },
    });
    const [seen, unseen] = [user(own.clients), user(foreign.clients)];
    const [id, other] = [await made('users', seen), await made('users', unseen)];
    const taken = { email: 'must not be the address of another user' };
    const again = (body: object, token: string) => why(ask('POST /api/users', body, token));
    const inCapitals = { ...user(own.clients), email: seen.email.toUpperCase() };
    expect(await again(inCapitals, chief)).toEqual({ ...taken, existing_id: id });
    const stranger = { ...user(own.clients), email: unseen.email };
    expect(await again(stranger, chief)).toEqual(taken);
    expect(await again(stranger, everywhere)).toEqual({ ...taken, existing_id: other });
  });

  test('is told of a bill, which another client’s bill of the same number is not', async () => {
    const body = { client_id: own.clients, partner_id: own.biller, number: 'N', amount_excl_tax: 1 };
    await service.admin('insert into public.client_partners values ($1, $2)', [second.clients, own.biller]);
    await made('partner-invoices', { ...body, client_id: second.clients });
    const id = await made('partner-invoices', body);
    expect(await why(ask('POST /api/partner-invoices', body))).toEqual({
      number: 'must be one that the partner has not used for this client',
      existing_id: id,
    });
  });

  test.each([{}, { prefix: '123' }])('is told of a parcel, %j', async (prefix) => {
    const parcel = { site_id: own.sites, commune_code: '2A004', section: 'AB', number: '0042', ...prefix };
    const id = await made('cadastres', parcel);
    expect(await why(ask('POST /api/cadastres', parcel))).toEqual({
      number: 'must be of a parcel that the site lacks',
      existing_id: id,
    });
    await ask(`DELETE /api/cadastres/${id}`, undefined, everywhere);
    expect((await ask('POST /api/cadastres', parcel)).status).toBe(201);
  });
});
