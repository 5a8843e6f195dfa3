import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const own = (await service.tenant('Own')).clients;
const second = (await service.tenant('Second')).clients;
const foreign = (await service.tenant('Foreign')).clients;
const manager = await service.token('ACCOUNT_MANAGER', [own, second]);
const unlimitedAdmin = await service.token('ADMIN');
/**
 * Three partners whose bills the tests create: `partner` is linked to both clients of the manager, `partnerOfSecond`
 * only to the manager’s second client, and `foreignPartner` only to another tenant’s client.
 */
const partner = await createdId('partners', { name: 'Both', client_ids: [own, second] });
const partnerOfSecond = await createdId('partners', { name: 'Second', client_ids: [second] });
const foreignPartner = await createdId('partners', { name: 'Foreign', client_ids: [foreign] });

async function createdId(resource: string, body: object): Promise<string> {
  const answer = await service.ask(`POST /api/${resource}`, { token: unlimitedAdmin, body });
  expect(answer.status).toBe(201);
  return (answer.json as { id: string }).id;
}

/** Builds the request body of a bill with a unique number. */
function bill(more: object = {}): object {
  return { partner_id: partner, client_id: own, number: randomUUID(), amount_excl_tax: 100, ...more };
}

function create(body: object, token = manager): Promise<Answer> {
  return service.ask('POST /api/partner-invoices', { token, body });
}

function put(id: string, body: object, token = manager): Promise<Answer> {
  return service.ask(`PUT /api/partner-invoices/${id}`, { token, body });
}

test('a bill without VAT or total gets both calculated, also after a change of its amount', async () => {
  const answer = await create(bill({ amount_excl_tax: '99.99', vat_amount: null }));
  expect(answer.json).toMatchObject({ vat_rate: 20, vat_amount: 20, amount_incl_tax: 119.99 });
  const { id } = answer.json as { id: string };
  expect((await put(id, { amount_excl_tax: 10 })).json).toMatchObject({ vat_amount: 2, amount_incl_tax: 12 });
  expect((await put(id, { vat_amount: '2.01' })).json).toMatchObject({ amount_incl_tax: 12.01 });
  expect((await put(id, { vat_rate: 5.5 })).json).toMatchObject({ vat_amount: 0.55, amount_incl_tax: 10.55 });
});

test('a new or changed bill whose total does not match its VAT gets 400 that names amount_incl_tax', async () => {
  const wrong = await create(bill({ vat_amount: 20, amount_incl_tax: 120.01 }));
  const id = await createdId('partner-invoices', bill());
  for (const answer of [wrong, await put(id, { amount_incl_tax: 121 })]) {
    expectError(answer, 'ERROR_VALIDATION', { amount_incl_tax: expect.any(String) });
  }
  const read = await service.ask(`GET /api/partner-invoices/${id}`, { token: manager });
  expect(read.json).toMatchObject({ vat_amount: 20, amount_incl_tax: 120 });
});

test('a bill with a number that its partner has already used for the same client gets 409 that names the other bill', async () => {
  const body = bill();
  const first = (await create(body)).json as { id: string };
  expectError(await create(body), 'ERROR_CONFLICT', {
    number: 'must be one that the partner has not used for this client',
    existing_id: first.id,
  });
  const moved = await create(bill());
  const { id } = moved.json as { id: string };
  expectError(await put(id, { number: (body as { number: string }).number }), 'ERROR_CONFLICT');
});

test('two clients of one partner can have bills with the same number, and neither learns of the other client’s bill', async () => {
  const ofSecond = await service.token('ACCOUNT_MANAGER', [second]);
  const body = bill();
  expect((await create(body)).status).toBe(201);
  const beside = await create({ ...body, client_id: second }, ofSecond);
  expect(beside.status).toBe(201);
  const { id } = (await create(bill({ client_id: second }), ofSecond)).json as { id: string };
  const other = bill();
  expect((await create(other)).status).toBe(201);
  expect((await put(id, { number: (other as { number: string }).number }, ofSecond)).status).toBe(200);
});

test('a manager cannot create a bill of a partner who works only for other tenants, but those tenants’ manager can', async () => {
  const body = bill({ partner_id: foreignPartner });
  await expectRefusal(service, await create(body), 'ERROR_FORBIDDEN');
  const theirs = await service.token('ACCOUNT_MANAGER', [foreign]);
  expect((await create({ ...body, client_id: foreign }, theirs)).status).toBe(201);
});

test.each(['ACCOUNT_MANAGER', 'ADMIN'] as const)(
  'a user with the role %s cannot create a bill of a partner who is not linked to the billed client: 409',
  async (role) => {
    const token = role === 'ADMIN' ? unlimitedAdmin : manager;
    const answer = await create(bill({ partner_id: partnerOfSecond }), token);
    expectError(answer, 'ERROR_CONFLICT', { partner_id: expect.any(String) });
    const right = await create(bill({ partner_id: partnerOfSecond, client_id: second }), token);
    expect(right.status).toBe(201);
  },
);

test('the creation of a bill of an unknown partner gets 404', async () => {
  for (const token of [manager, unlimitedAdmin]) {
    const answer = await create(bill({ partner_id: randomUUID() }), token);
    expectError(answer, 'ERROR_NOT_FOUND', { partner_id: expect.any(String) });
  }
});

describe('a bill that was validated', () => {
  async function moved(more: object, ...statuses: string[]): Promise<string> {
    const id = await createdId('partner-invoices', bill(more));
    for (const status of statuses) expect((await put(id, { status }, unlimitedAdmin)).status).toBe(200);
    return id;
  }

  test.each([[['VALIDATED']], [['VALIDATED', 'PAID']], [['DISPUTED']]])(
    'a bill that had the statuses %j cannot be changed or deleted, not even with its client',
    async (statuses) => {
      const { clients } = await service.tenant('Billed');
      const theirs = await createdId('partners', { name: 'Billing', client_ids: [clients] });
      const id = await moved({ client_id: clients, partner_id: theirs }, ...statuses);
      const last = String(statuses.at(-1));
      expectError(await put(id, { amount_excl_tax: 1, due_date: '2199-01-01' }, unlimitedAdmin), 'ERROR_CONFLICT', {
        ...Object.fromEntries(
          ['amount_excl_tax', 'due_date', 'vat_amount', 'amount_incl_tax'].map((name) => [
            name,
            `cannot change any more: the record is ${last}`,
          ]),
        ),
      });
      const remove = (line: string) => service.ask(`DELETE /api/${line}`, { token: unlimitedAdmin });
      expectError(await remove(`partner-invoices/${id}`), 'ERROR_CONFLICT', {
        status: `is ${last}: a record with this status is never deleted`,
      });
      expectError(await remove(`clients/${clients}`), 'ERROR_CONFLICT', {
        partner_invoices: 'validated or disputed for this client, and never deleted: 1',
      });
      expectError(await remove(`partners/${theirs}`), 'ERROR_CONFLICT');
      const read = await service.ask(`GET /api/partner-invoices/${id}`, { token: unlimitedAdmin });
      expect(read.json).toMatchObject({ status: last, amount_excl_tax: 100 });
      const whole = await put(id, read.json as object, unlimitedAdmin);
      expect(whole.status).toBe(200);
    },
  );

  test('a bill gets the time of its payment when it is paid, and no other bill has one', async () => {
    const id = await moved({}, 'VALIDATED', 'PAID');
    const read = await service.ask(`GET /api/partner-invoices/${id}`, { token: manager });
    expect(read.json).toMatchObject({ paid_at: expect.stringMatching(/Z$/) });
    const paid_at = '2026-01-02T10:00:00.000Z';
    expect((await put(id, { paid_at })).json).toMatchObject({ paid_at });
    const validated = await moved({}, 'VALIDATED');
    expectError(await put(validated, { paid_at }), 'ERROR_VALIDATION', { paid_at: expect.any(String) });
    expect((await put(validated, { status: 'PAID', paid_at })).json).toMatchObject({ paid_at });
  });

  test('a validated bill loses its invoice_id when somebody deletes the draft of the invoice, and keeps its other fields', async () => {
    const invoice_id = await createdId('invoices', { client_id: own, amount_excl_tax: 1 });
    const id = await moved({ invoice_id }, 'VALIDATED');
    const read = async () => (await service.ask(`GET /api/partner-invoices/${id}`, { token: manager })).json as object;
    const before = await read();
    expect(before).toMatchObject({ invoice_id });
    expect((await service.ask(`DELETE /api/invoices/${invoice_id}`, { token: unlimitedAdmin })).status).toBe(204);
    expect(await read()).toEqual({ ...before, invoice_id: null, updated_at: expect.any(String) });
  });

  test('a user cannot add, replace or remove the invoice_id of a validated bill', async () => {
    const draft = () => createdId('invoices', { client_id: own, amount_excl_tax: 1 });
    const [first, other] = [await draft(), await draft()];
    const refused = { invoice_id: 'cannot change any more: the record is VALIDATED' };
    const [without, linked] = [await moved({}, 'VALIDATED'), await moved({ invoice_id: first }, 'VALIDATED')];
    expectError(await put(without, { invoice_id: other }), 'ERROR_CONFLICT', refused);
    for (const invoice_id of [other, null]) expectError(await put(linked, { invoice_id }), 'ERROR_CONFLICT', refused);
    expectError(await put(without, { due_date: '2199-01-01' }), 'ERROR_CONFLICT', {
      due_date: refused.invoice_id,
    });
    expectError(await put(linked, { invoice_id: null, due_date: '2199-01-01' }), 'ERROR_CONFLICT', {
      ...refused,
      due_date: refused.invoice_id,
    });
  });
});
