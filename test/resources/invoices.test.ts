import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { collide } from '../support/held-row.ts';
import type { Answer, Question } from '../support/http.ts';
import { details, expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const own = await service.tenant('Own');
const second = await service.tenant('Second');
const foreign = await service.tenant('Foreign');
const manager = await service.token('ACCOUNT_MANAGER', [own.clients, second.clients]);
const everywhere = await service.token('ADMIN');

interface Invoice {
  readonly id: string;
  readonly number: string | null;
}

function create(body: object, token = manager): Promise<Answer> {
  return service.ask('POST /api/invoices', {
    token,
    body: { client_id: own.clients, amount_excl_tax: 100, ...body },
  });
}

async function made(body: object = {}): Promise<string> {
  const answer = await create(body, everywhere);
  expect(answer.status).toBe(201);
  return (answer.json as Invoice).id;
}

function put(id: string, body: object, question: Question = {}): Promise<Answer> {
  return service.ask(`PUT /api/invoices/${id}`, { token: manager, ...question, body });
}

async function moved(id: string, ...statuses: string[]): Promise<Answer | undefined> {
  let answer: Answer | undefined;
  for (const status of statuses) {
    answer = await put(id, { status });
    expect([status, answer.status]).toEqual([status, 200]);
  }
  return answer;
}

async function listed(query: string, token = manager): Promise<string[]> {
  const answer = await service.ask(`GET /api/invoices?${query}`, { token });
  expect(answer.status).toBe(200);
  return (answer.json as Invoice[]).map(({ id }) => id);
}

describe('an invoice', () => {
  test('begins as a draft without a number, and the database works out the tax', async () => {
    const answer = await create({
      ...{ reclamation_id: own.reclamations, due_date: '2027-01-31', vat_rate: '5.5' },
      ...{ amount_excl_tax: '1000.10', vat_amount: 1, amount_incl_tax: 1, number: 'mine', status: 'DRAFT' },
    });
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id: own.clients,
      reclamation_id: own.reclamations,
      number: null,
      status: 'DRAFT',
      issue_date: null,
      due_date: '2027-01-31',
      amount_excl_tax: 1000.1,
      vat_rate: 5.5,
      vat_amount: 55.01,
      amount_incl_tax: 1055.11,
      paid_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(answer.text).toContain('"amount_excl_tax":1000.10,"vat_rate":5.50,');
    const { id } = answer.json as Invoice;
    expect(answer.headers.location).toBe(`/api/invoices/${id}`);
    const read = await service.ask(`GET /api/invoices/${id}`, { token: manager });
    expect([read.json, read.headers.etag]).toEqual([answer.json, answer.headers.etag]);
    expect((await put(id, { amount_excl_tax: 10, vat_rate: 20 })).json).toMatchObject({
      ...{ vat_amount: 2, amount_incl_tax: 12, due_date: '2027-01-31' },
    });
  });

  test.each([
    ['amount_excl_tax', '0.001'],
    ['amount_excl_tax', -1],
    ['amount_excl_tax', '5000000000'],
    ['vat_rate', 100.5],
    ['issue_date', '2026-02-30'],
    ['status', 'ISSUED'],
    ['paid_at', '2026-01-01T00:00:00Z'],
    ['client_id', 'me'],
  ])('is refused with %s %j, by the name of the field', async (field, value) => {
    const answer = await create({ [field]: value });
    expectError(answer, 'ERROR_VALIDATION');
    expect(Object.keys(details(answer) as object)).toEqual([field]);
  });

  test('is never due before it is issued, nor paid at a time unless it is paid', async () => {
    const early = await create({ issue_date: '2026-02-01', due_date: '2026-01-31' });
    expectError(early, 'ERROR_VALIDATION');
    expect(details(early)).toEqual({ due_date: expect.any(String) });
    const unpaid = await put(await made(), { paid_at: '2026-01-01T00:00:00Z' });
    expectError(unpaid, 'ERROR_VALIDATION');
    expect(details(unpaid)).toEqual({ paid_at: expect.any(String) });
  });

  test('stays with its client', async () => {
    const id = await made();
    expectError(await put(id, { client_id: second.clients }), 'ERROR_CONFLICT');
    expect(await listed(`client_id=${own.clients}`)).toContain(id);
    expect((await put(id, { client_id: own.clients })).status).toBe(200);
  });

  test('is 404 for a client that does not exist', async () => {
    const answer = await create({ client_id: randomUUID() }, everywhere);
    expectError(answer, 'ERROR_NOT_FOUND');
    expect(details(answer)).toEqual({ client_id: expect.any(String) });
  });
});

describe('the claim that an invoice names', () => {
  /** The same asked of a new invoice and of one that is there. */
  const naming = async (claim: string, token: string): Promise<Answer[]> => [
    await create({ reclamation_id: claim }, token),
    await put(await made(), { reclamation_id: claim }, { token }),
  ];

  test('is refused where it is a foreign client’s, audited with that client', async () => {
    for (const answer of await naming(foreign.reclamations, manager)) {
      const record = await expectRefusal(service, answer, 'ERROR_FORBIDDEN');
      expect(record).toMatchObject({ resource_type: 'factures', client_context: foreign.clients });
    }
  });

  test('is a conflict where it is of another client of the same caller', async () => {
    for (const [claim, token] of [
      [second.reclamations, manager],
      [foreign.reclamations, everywhere],
    ] as const) {
      for (const answer of await naming(claim, token)) {
        expectError(answer, 'ERROR_CONFLICT');
        expect(details(answer)).toEqual({ reclamation_id: expect.any(String) });
      }
    }
  });

  test('is 404 where there is none, and fine where it is the client’s', async () => {
    for (const answer of await naming(randomUUID(), manager)) expectError(answer, 'ERROR_NOT_FOUND');
    const answers = await naming(own.reclamations, manager);
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
  });
});

describe('the life of an invoice', () => {
  test('is issued, with today’s date and a number, and then paid, with the time', async () => {
    const id = await made();
    const issued = await moved(id, 'ISSUED');
    const [today] = await service.admin(`select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as date`);
    expect(issued?.json).toMatchObject({
      status: 'ISSUED',
      issue_date: today?.['date'],
      number: expect.stringMatching(/^\d{4}-\d{6}$/),
      paid_at: null,
    });
    const { number } = issued?.json as Invoice;
    const paid = await put(id, { status: 'PAID', paid_at: '2026-12-01T09:00:00+01:00' });
    expect(paid.json).toMatchObject({ status: 'PAID', number, paid_at: '2026-12-01T08:00:00Z' });
    const other = await moved(await made(), 'ISSUED', 'PAID');
    expect(other?.json).toMatchObject({ paid_at: expect.stringMatching(/Z$/) });
  });

  test.each([
    [[], 'PAID'],
    [[], 'CANCELLED'],
    [[], 'DRAFT'],
    [['ISSUED'], 'DRAFT'],
    [['ISSUED'], 'ISSUED'],
    [['ISSUED', 'PAID'], 'ISSUED'],
    [['ISSUED', 'PAID'], 'CANCELLED'],
    [['ISSUED', 'CANCELLED'], 'PAID'],
    [['ISSUED', 'CANCELLED'], 'DRAFT'],
  ])('after %j has no move to %s: a conflict, and nothing has changed', async (moves, status) => {
    const id = await made();
    await moved(id, ...moves);
    const before = (await service.ask(`GET /api/invoices/${id}`, { token: manager })).json;
    expectError(await put(id, { status }), 'ERROR_CONFLICT');
    expect((await service.ask(`GET /api/invoices/${id}`, { token: manager })).json).toEqual(before);
  });

  test('knows no other status', async () => {
    const answer = await put(await made(), { status: 'LOST' });
    expectError(answer, 'ERROR_VALIDATION');
    expect(Object.keys(details(answer) as object)).toEqual(['status']);
  });

  test('leaves what was issued as it was, though the record may be sent back whole', async () => {
    const id = await made();
    const issued = await moved(id, 'ISSUED');
    for (const change of [{ amount_excl_tax: 1 }, { vat_rate: 1 }, { issue_date: '2026-01-01' }])
      expectError(await put(id, change), 'ERROR_CONFLICT');
    const again = await put(id, { ...(issued?.json as object), due_date: '2199-01-01' });
    expect(again.json).toMatchObject({
      ...(issued?.json as object),
      ...{ due_date: '2199-01-01' },
      updated_at: expect.any(String),
    });
  });

  test.each([{ status: 'ISSUED' }, { status: 'ISSUED', due_date: '2199-01-01' }])(
    'is moved by one of three who send %j at once; the others meet a conflict',
    async (body) => {
      const id = await made();
      const send = [1, 2, 3].map(() => () => put(id, body));
      const answers = await collide(service, { table: 'factures', id }, send);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    },
  );
});

describe('the numbers of a year', () => {
  test('have no gap and no double, though 20 are issued at once and some fail after they had one', async () => {
    const drafts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => made({ due_date: n % 4 === 0 ? '2031-01-01' : '2031-12-31' })),
    );
    const answers = await Promise.all(
      drafts.map((id) => put(id, { status: 'ISSUED', issue_date: '2031-06-30' })),
    );
    const failed = answers.filter(({ status }) => status !== 200);
    expect(failed).toHaveLength(5);
    for (const answer of failed) expectError(answer, 'ERROR_VALIDATION');
    const numbers = answers
      .filter(({ status }) => status === 200)
      .map(({ json }) => (json as Invoice).number)
      .toSorted();
    expect(numbers).toEqual(Array.from({ length: 15 }, (_, n) => `2031-${String(n + 1).padStart(6, '0')}`));
  });

  test('begin anew with each year', async () => {
    const id = await made();
    const issued = await put(id, { status: 'ISSUED', issue_date: '2032-01-01' });
    expect(issued.json).toMatchObject({ number: '2032-000001' });
    expect(await listed('number=2032-000001')).toEqual([id]);
    expect(await listed('q=032-0000')).toEqual([id]);
  });
});

describe('the version of an invoice', () => {
  test('is matched by one of 20 writers with the same tag', async () => {
    const id = await made();
    const { headers } = await service.ask(`GET /api/invoices/${id}`, { token: manager });
    const question = { headers: { 'if-match': String(headers.etag) } };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => put(id, { amount_excl_tax: n }, question)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectError(answer, 'ERROR_PRECONDITION_FAILED');
  });
});

describe('the deletion of an invoice', () => {
  const remove = (id: string, token = everywhere) => service.ask(`DELETE /api/invoices/${id}`, { token });

  test('is for drafts alone, and for an ADMIN alone', async () => {
    const draft = await made();
    await expectRefusal(service, await remove(draft, manager), 'ERROR_FORBIDDEN');
    expect((await remove(draft)).status).toBe(204);
    expectError(await remove(draft), 'ERROR_NOT_FOUND');
  });

  test.each([[['ISSUED']], [['ISSUED', 'PAID']], [['ISSUED', 'CANCELLED']]])(
    'is a conflict after %j, also by way of its client, which keeps everything',
    async (moves) => {
      const tenant = await service.tenant('Invoiced');
      const id = await made({ client_id: tenant.clients, reclamation_id: tenant.reclamations });
      for (const status of moves) await put(id, { status }, { token: everywhere });
      expectError(await remove(id), 'ERROR_CONFLICT');
      const line = `/api/clients/${tenant.clients}`;
      expectError(await service.ask(`DELETE ${line}`, { token: everywhere }), 'ERROR_CONFLICT');
      expect((await service.ask(`GET ${line}/reclamations`, { token: everywhere })).json).toHaveLength(1);
    },
  );

  test('of a draft comes with that of its client', async () => {
    const tenant = await service.tenant('Drafted');
    const id = await made({ client_id: tenant.clients });
    const line = `DELETE /api/clients/${tenant.clients}`;
    expect((await service.ask(line, { token: everywhere })).status).toBe(204);
    expectError(await service.ask(`GET /api/invoices/${id}`, { token: everywhere }), 'ERROR_NOT_FOUND');
  });
});

describe('the list of invoices', () => {
  test('is of the caller’s clients alone, by client, claim, status and time', async () => {
    const of = { reclamation_id: second.reclamations, client_id: second.clients };
    const [draft, cancelled] = [await made(of), await made(of)];
    const theirs = await made({ client_id: foreign.clients, reclamation_id: foreign.reclamations });
    await moved(cancelled, 'ISSUED', 'CANCELLED');
    const client = await service.token('CLIENT', [second.clients]);
    expect(await listed('', client)).toEqual([cancelled, draft]);
    const ofClaim = `reclamation_id=${second.reclamations}`;
    expect(await listed(`${ofClaim}&sort=status`, client)).toEqual([draft, cancelled]);
    expect(await listed(`${ofClaim}&status=DRAFT`)).toEqual([draft]);
    expect(await listed(`client_id=${second.clients}&status=CANCELLED`)).toEqual([cancelled]);
    expect(await listed('created_from=2999-01-01T00:00:00Z')).toEqual([]);
    const refused = await service.ask(`GET /api/invoices?reclamation_id=${foreign.reclamations}`, {
      token: manager,
    });
    expect(refused.status).toBe(403);
    expect(await listed(`reclamation_id=${foreign.reclamations}`, everywhere)).toEqual([theirs]);
  });

  test.each(['TAX_SPECIALIST', 'CLIENT'] as const)(
    'is all that %s may do with invoices, beside reading one',
    async (role) => {
      const token = await service.token(role, [own.clients]);
      const id = await made();
      expect((await service.ask(`GET /api/invoices/${id}`, { token })).status).toBe(200);
      await expectRefusal(service, await create({}, token), 'ERROR_FORBIDDEN');
      await expectRefusal(service, await put(id, { status: 'ISSUED' }, { token }), 'ERROR_FORBIDDEN');
      expect(await listed(`client_id=${own.clients}&status=DRAFT`, token)).toContain(id);
    },
  );
});
