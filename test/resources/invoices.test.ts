import { describe, expect, test } from '@jest/globals';
import type { Answer, Question } from '../support/http.ts';
import { expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const own = await service.tenant('Own');
const manager = await service.token('ACCOUNT_MANAGER', [own.clients]);
const unlimitedAdmin = await service.token('ADMIN');

interface Invoice {
  readonly id: string;
  readonly number: string | null;
}

function create(body: object, token = manager): Promise<Answer> {
  return service.ask('POST /api/invoices', { token, body: { client_id: own.clients, amount_excl_tax: 100, ...body } });
}

async function createdId(body: object = {}): Promise<string> {
  const answer = await create(body, unlimitedAdmin);
  expect(answer.status).toBe(201);
  return (answer.json as Invoice).id;
}

function put(id: string, body: object, question: Question = {}): Promise<Answer> {
  return service.ask(`PUT /api/invoices/${id}`, { token: manager, ...question, body });
}

async function moveThrough(id: string, ...statuses: string[]): Promise<Answer | undefined> {
  let answer: Answer | undefined;
  for (const status of statuses) {
    answer = await put(id, { status });
    expect([status, answer.status]).toEqual([status, 200]);
  }
  return answer;
}

async function listed(query: string): Promise<string[]> {
  const answer = await service.ask(`GET /api/invoices?${query}`, { token: manager });
  expect(answer.status).toBe(200);
  return (answer.json as Invoice[]).map(({ id }) => id);
}

test('an invoice that is not paid cannot have a time of payment', async () => {
  const unpaid = await put(await createdId(), { paid_at: '2026-01-01T00:00:00Z' });
  expectError(unpaid, 'ERROR_VALIDATION', { paid_at: expect.any(String) });
});

test('issuing an invoice gives it today’s date and a number, and paying it then stores the time of payment', async () => {
  const id = await createdId();
  const issued = await moveThrough(id, 'ISSUED');
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
  const other = await moveThrough(await createdId(), 'ISSUED', 'PAID');
  expect(other?.json).toMatchObject({ paid_at: expect.stringMatching(/Z$/) });
});

test('an issued invoice accepts a new due date, even if the request repeats all other fields unchanged', async () => {
  const id = await createdId();
  const issued = await moveThrough(id, 'ISSUED');
  const again = await put(id, { ...(issued?.json as object), due_date: '2199-01-01' });
  expect(again.json).toMatchObject({
    ...(issued?.json as object),
    due_date: '2199-01-01',
    updated_at: expect.any(String),
  });
});

test('if 20 invoices are issued at once and 5 of these requests fail late, the invoice numbers have no gap and no duplicate', async () => {
  const drafts = await Promise.all(
    Array.from({ length: 20 }, (_, n) => createdId({ due_date: n % 4 === 0 ? '2031-01-01' : '2031-12-31' })),
  );
  const answers = await Promise.all(drafts.map((id) => put(id, { status: 'ISSUED', issue_date: '2031-06-30' })));
  const failed = answers.filter(({ status }) => status !== 200);
  expect(failed).toHaveLength(5);
  for (const answer of failed) expectError(answer, 'ERROR_VALIDATION');
  const numbers = answers
    .filter(({ status }) => status === 200)
    .map(({ json }) => (json as Invoice).number)
    .toSorted();
  expect(numbers).toEqual(Array.from({ length: 15 }, (_, n) => `2031-${String(n + 1).padStart(6, '0')}`));
});

test('invoice numbers begin with 1 in each new year', async () => {
  const id = await createdId();
  const issued = await put(id, { status: 'ISSUED', issue_date: '2032-01-01' });
  expect(issued.json).toMatchObject({ number: '2032-000001' });
  expect(await listed('number=2032-000001')).toEqual([id]);
  expect(await listed('q=032-0000')).toEqual([id]);
});

describe('the deletion of an invoice', () => {
  const remove = (id: string) => service.ask(`DELETE /api/invoices/${id}`, { token: unlimitedAdmin });

  test.each([{ moves: ['ISSUED'] }, { moves: ['ISSUED', 'PAID'] }, { moves: ['ISSUED', 'CANCELLED'] }])(
    'the deletion of an invoice that had the statuses $moves gets 409, and so does the deletion of its client',
    async ({ moves }) => {
      const tenant = await service.tenant('Invoiced');
      const id = await createdId({ client_id: tenant.clients, reclamation_id: tenant.reclamations });
      for (const status of moves) await put(id, { status }, { token: unlimitedAdmin });
      expectError(await remove(id), 'ERROR_CONFLICT', {
        status: `is ${String(moves.at(-1))}: an invoice that was issued is never deleted`,
      });
      const line = `/api/clients/${tenant.clients}`;
      expectError(await service.ask(`DELETE ${line}`, { token: unlimitedAdmin }), 'ERROR_CONFLICT');
      expect((await service.ask(`GET ${line}/reclamations`, { token: unlimitedAdmin })).json).toHaveLength(1);
    },
  );

  test('the deletion of a client deletes its draft invoices', async () => {
    const tenant = await service.tenant('Drafted');
    const id = await createdId({ client_id: tenant.clients });
    const line = `DELETE /api/clients/${tenant.clients}`;
    expect((await service.ask(line, { token: unlimitedAdmin })).status).toBe(204);
    expectError(await service.ask(`GET /api/invoices/${id}`, { token: unlimitedAdmin }), 'ERROR_NOT_FOUND');
  });
});
