import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { collide } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const own = (await service.tenant('Own')).clients;
const second = (await service.tenant('Second')).clients;
const foreign = (await service.tenant('Foreign')).clients;
const manager = await service.token('ACCOUNT_MANAGER', [own, second]);
const everywhere = await service.token('ADMIN');
/** Linked to the clients of the manager, to the second of them alone, and to the foreign one alone. */
const partner = await made('partners', { name: 'Both', client_ids: [own, second] });
const partnerOfSecond = await made('partners', { name: 'Second', client_ids: [second] });
const foreignPartner = await made('partners', { name: 'Foreign', client_ids: [foreign] });

async function made(resource: string, body: object): Promise<string> {
  const answer = await service.ask(`POST /api/${resource}`, { token: everywhere, body });
  expect(answer.status).toBe(201);
  return (answer.json as { id: string }).id;
}

/** A bill with a number that no other test has. */
function bill(more: object = {}): object {
  return { partner_id: partner, client_id: own, number: randomUUID(), amount_excl_tax: 100, ...more };
}

function create(body: object, token = manager): Promise<Answer> {
  return service.ask('POST /api/partner-invoices', { token, body });
}

function put(id: string, body: object, token = manager): Promise<Answer> {
  return service.ask(`PUT /api/partner-invoices/${id}`, { token, body });
}

async function listed(query: string, token = manager): Promise<string[]> {
  const answer = await service.ask(`GET /api/partner-invoices?${query}`, { token });
  expect(answer.status).toBe(200);
  return (answer.json as { id: string }[]).map(({ id }) => id);
}

describe('a partner’s bill', () => {
  test('is kept as printed', async () => {
    const invoice = await made('invoices', { client_id: own, amount_excl_tax: 1 });
    const body = {
      ...{ partner_id: partner, client_id: own, invoice_id: invoice, number: 'F-2026/17' },
      ...{ issue_date: '2026-03-01', due_date: '2026-03-31' },
      ...{ amount_excl_tax: 99.99, vat_rate: 20, vat_amount: 19.99, amount_incl_tax: 119.98 },
    };
    const answer = await create({ ...body, status: 'RECEIVED' });
    expect(answer.json).toEqual({
      ...body,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'RECEIVED',
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const { id } = answer.json as { id: string };
    expect(answer.headers.location).toBe(`/api/partner-invoices/${id}`);
    const read = await service.ask(`GET /api/partner-invoices/${id}`, { token: manager });
    expect([read.json, read.headers.etag]).toEqual([answer.json, answer.headers.etag]);
  });

  test('is worked out where it does not say the tax or the sum, also after a change', async () => {
    const answer = await create(bill({ amount_excl_tax: '99.99', vat_amount: null }));
    expect(answer.json).toMatchObject({ vat_rate: 20, vat_amount: 20, amount_incl_tax: 119.99 });
    const { id } = answer.json as { id: string };
    expect((await put(id, { amount_excl_tax: 10 })).json).toMatchObject({
      ...{ vat_amount: 2, amount_incl_tax: 12 },
    });
    expect((await put(id, { vat_amount: '2.01' })).json).toMatchObject({ amount_incl_tax: 12.01 });
    expect((await put(id, { vat_rate: 5.5 })).json).toMatchObject({
      ...{ vat_amount: 0.55, amount_incl_tax: 10.55 },
    });
  });

  test('is refused with a wrong sum, by the name of the field, new or changed', async () => {
    const wrong = await create(bill({ vat_amount: 20, amount_incl_tax: 120.01 }));
    const id = await made('partner-invoices', bill());
    for (const answer of [wrong, await put(id, { amount_incl_tax: 121 })]) {
      expectError(answer, 'ERROR_VALIDATION');
      expect(details(answer)).toEqual({ amount_incl_tax: expect.any(String) });
    }
    const read = await service.ask(`GET /api/partner-invoices/${id}`, { token: manager });
    expect(read.json).toMatchObject({ vat_amount: 20, amount_incl_tax: 120 });
  });

  test('has a number that its partner never used before for this client', async () => {
    const body = bill();
    const first = (await create(body)).json as { id: string };
    const again = await create(body);
    expectError(again, 'ERROR_CONFLICT');
    expect(details(again)).toEqual({ number: expect.any(String), existing_id: first.id });
    const moved = await create(bill());
    const { id } = moved.json as { id: string };
    expectError(await put(id, { number: (body as { number: string }).number }), 'ERROR_CONFLICT');
  });

  test('tells nobody, and blocks nobody, who shares the partner and is billed under the same number', async () => {
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

  test('stays with its client and its partner', async () => {
    const id = await made('partner-invoices', bill());
    expectError(await put(id, { client_id: second }), 'ERROR_CONFLICT');
    expectError(await put(id, { partner_id: partnerOfSecond }), 'ERROR_CONFLICT');
    expect((await put(id, { client_id: own, partner_id: partner })).status).toBe(200);
  });

  test.each([
    ['number', ''],
    ['number', 'x'.repeat(51)],
    ['amount_excl_tax', '1.001'],
    ['vat_amount', -1],
    ['amount_incl_tax', '9999999999.99'],
    ['status', 'PAID'],
    ['partner_id', null],
    ['paid_at', null],
  ])('is refused with %s %j, by the name of the field', async (field, value) => {
    const answer = await create(bill({ [field]: value }));
    expectError(answer, 'ERROR_VALIDATION');
    expect(Object.keys(details(answer) as object)).toEqual([field]);
  });

  test('is never due before its date', async () => {
    const answer = await create(bill({ issue_date: '2026-02-01', due_date: '2026-01-31' }));
    expectError(answer, 'ERROR_VALIDATION');
    expect(details(answer)).toEqual({ due_date: expect.any(String) });
  });
});

describe('the partner of a bill', () => {
  test('is refused where it is of foreign clients alone; for those it is fine', async () => {
    const body = bill({ partner_id: foreignPartner });
    await expectRefusal(service, await create(body), 'ERROR_FORBIDDEN');
    const theirs = await service.token('ACCOUNT_MANAGER', [foreign]);
    expect((await create({ ...body, client_id: foreign }, theirs)).status).toBe(201);
  });

  test.each(['ACCOUNT_MANAGER', 'ADMIN'] as const)(
    'is a conflict for %s where it is not linked to the client that was billed',
    async (role) => {
      const token = role === 'ADMIN' ? everywhere : manager;
      const answer = await create(bill({ partner_id: partnerOfSecond }), token);
      expectError(answer, 'ERROR_CONFLICT');
      expect(details(answer)).toEqual({ partner_id: expect.any(String) });
      const right = await create(bill({ partner_id: partnerOfSecond, client_id: second }), token);
      expect(right.status).toBe(201);
    },
  );

  test('is 404 where there is none', async () => {
    for (const token of [manager, everywhere]) {
      const answer = await create(bill({ partner_id: randomUUID() }), token);
      expectError(answer, 'ERROR_NOT_FOUND');
      expect(details(answer)).toEqual({ partner_id: expect.any(String) });
    }
  });
});

test('the invoice of a bill is its client’s: a foreign one is refused and audited with its client', async () => {
  const theirs = await made('invoices', { client_id: foreign, amount_excl_tax: 1 });
  const ofSecond = await made('invoices', { client_id: second, amount_excl_tax: 1 });
  const id = await made('partner-invoices', bill());
  for (const ask of [(body: object) => create(bill(body)), (body: object) => put(id, body)]) {
    const record = await expectRefusal(service, await ask({ invoice_id: theirs }), 'ERROR_FORBIDDEN');
    expect(record).toMatchObject({ resource_type: 'partner_invoices', client_context: foreign });
    const answer = await ask({ invoice_id: ofSecond });
    expectError(answer, 'ERROR_CONFLICT');
    expect(details(answer)).toEqual({ invoice_id: expect.any(String) });
    expectError(await ask({ invoice_id: randomUUID() }), 'ERROR_NOT_FOUND');
  }
});

describe('the life of a partner’s bill', () => {
  test.each([
    [['VALIDATED', 'PAID']],
    [['DISPUTED', 'VALIDATED', 'PAID']],
    [['VALIDATED', 'DISPUTED', 'VALIDATED']],
  ])('goes on from RECEIVED by %j', async (moves) => {
    const id = await made('partner-invoices', bill());
    for (const status of moves) expect((await put(id, { status })).json).toMatchObject({ status });
  });

  test.each([
    [[], 'PAID'],
    [[], 'RECEIVED'],
    [['DISPUTED'], 'PAID'],
    [['VALIDATED'], 'RECEIVED'],
    [['VALIDATED', 'PAID'], 'DISPUTED'],
  ])('after %j has no move to %s: a conflict', async (moves, status) => {
    const id = await made('partner-invoices', bill());
    for (const one of moves) expect((await put(id, { status: one })).status).toBe(200);
    expectError(await put(id, { status }), 'ERROR_CONFLICT');
  });

  test.each([{ status: 'VALIDATED' }, { status: 'VALIDATED', due_date: '2199-01-01' }])(
    'is moved by one of three who send %j at once; the others meet a conflict',
    async (body) => {
      const id = await made('partner-invoices', bill());
      const send = [1, 2, 3].map(() => () => put(id, body));
      const answers = await collide(service, { table: 'partner_invoices', id }, send);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    },
  );
});

describe('partners’ bills', () => {
  test('are listed of the caller’s clients alone, by client, partner, invoice, status, number and text', async () => {
    const invoice = await made('invoices', { client_id: second, amount_excl_tax: 1 });
    const mine = await made('partner-invoices', bill({ number: 'L-1_a' }));
    const other = await made(
      'partner-invoices',
      bill({ number: 'L-1xa', client_id: second, invoice_id: invoice }),
    );
    const body = { number: 'L-1_a', client_id: foreign, partner_id: foreignPartner };
    const theirs = await made('partner-invoices', bill(body));
    await put(other, { status: 'DISPUTED' });
    expect(await listed('q=l-1')).toEqual([other, mine]);
    expect(await listed('q=l-1_')).toEqual([mine]);
    expect(await listed('q=l-1', everywhere)).toEqual([theirs, other, mine]);
    expect(await listed(`q=l-1&client_id=${own}`)).toEqual([mine]);
    expect(await listed(`q=l-1&partner_id=${partner}&sort=created_at`)).toEqual([mine, other]);
    expect(
      (await service.ask(`GET /api/partner-invoices?partner_id=${foreignPartner}`, { token: manager }))
        .status,
    ).toBe(403);
    expect(await listed(`invoice_id=${invoice}`)).toEqual([other]);
    expect(await listed('q=l-1&status=DISPUTED')).toEqual([other]);
    expect(await listed('number=L-1xa')).toEqual([other]);
  });

  test.each(['TAX_SPECIALIST', 'CLIENT'] as const)(
    'are closed to %s of their own client, audited each time; an account manager reads them',
    async (role) => {
      const id = await made('partner-invoices', bill());
      const token = await service.token(role, [own]);
      const answers = [
        await service.ask('GET /api/partner-invoices', { token }),
        await service.ask(`GET /api/partner-invoices/${id}`, { token }),
        await create(bill(), token),
        await put(id, { status: 'VALIDATED' }, token),
        await service.ask(`DELETE /api/partner-invoices/${id}`, { token }),
      ];
      for (const answer of answers) await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
      const read = await service.ask(`GET /api/partner-invoices/${id}`, { token: manager });
      expect(read.json).toMatchObject({ status: 'RECEIVED' });
    },
  );

  test('are deleted by an ADMIN alone', async () => {
    const id = await made('partner-invoices', bill());
    const line = `DELETE /api/partner-invoices/${id}`;
    await expectRefusal(service, await service.ask(line, { token: manager }), 'ERROR_FORBIDDEN');
    expect((await service.ask(line, { token: everywhere })).status).toBe(204);
    expectError(await service.ask(line, { token: everywhere }), 'ERROR_NOT_FOUND');
  });
});
