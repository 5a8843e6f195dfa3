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
  const unpaid = await put(await createdId(), { paid_at: '2026-01-01T00:00:00.000Z' });
  expectError(unpaid, 'ERROR_VALIDATION', { paid_at: expect.any(String) });
});

const DAY = `(now() at time zone 'Europe/Paris')::date`;

/** Returns the day in Paris that is `days` after today. */
async function day(days = 0): Promise<string> {
  const [row] = await service.admin(`select (${DAY} + ${days})::text as day`);
  return row?.['day'] as string;
}

async function issuedId(body: object = {}): Promise<string> {
  const id = await createdId(body);
  await moveThrough(id, 'ISSUED');
  return id;
}

async function stored(id: string): Promise<Record<string, unknown>> {
  return (await service.ask(`GET /api/invoices/${id}`, { token: manager })).json as Record<string, unknown>;
}

test('issuing an invoice gives it today’s date in Paris and a number, and paying it then stores the time of payment', async () => {
  const id = await createdId();
  const issued = await moveThrough(id, 'ISSUED');
  expect(issued?.json).toMatchObject({
    status: 'ISSUED',
    issue_date: await day(),
    number: expect.stringMatching(/^\d{4}-\d{6}$/),
    paid_at: null,
  });
  const { number } = issued?.json as Invoice;
  const paid = await put(id, { status: 'PAID', paid_at: '2026-12-01T09:00:00+01:00' });
  expect(paid.json).toMatchObject({ status: 'PAID', number, paid_at: '2026-12-01T08:00:00.000Z' });
  const other = await moveThrough(await createdId(), 'ISSUED', 'PAID');
  expect(other?.json).toMatchObject({ paid_at: expect.stringMatching(/Z$/) });
});

test('a user cannot change the dates or the claim of an issued invoice, and may send the whole record back unchanged', async () => {
  const id = await issuedId({ reclamation_id: own.reclamations });
  const before = await stored(id);
  const closed = 'cannot change any more: the record is ISSUED';
  const change = { issue_date: '2026-01-01', due_date: '2199-01-01', reclamation_id: null };
  expectError(await put(id, change), 'ERROR_CONFLICT', {
    issue_date: closed,
    due_date: closed,
    reclamation_id: closed,
  });
  expect(await stored(id)).toEqual(before);
  expect((await put(id, before)).json).toEqual({ ...before, updated_at: expect.any(String) });
});

test('a 409 to a change of an issued invoice names the fields that the caller changed, and not the sums that follow from them', async () => {
  const id = await issuedId();
  const closed = 'cannot change any more: the record is ISSUED';
  expectError(await put(id, { amount_excl_tax: 1 }), 'ERROR_CONFLICT', { amount_excl_tax: closed });
  expectError(await put(id, { vat_rate: 19.6 }), 'ERROR_CONFLICT', { vat_rate: closed });
});

test('nobody inserts an invoice with another status than DRAFT in SQL', async () => {
  for (const status of ['ISSUED', 'PAID', 'CANCELLED'])
    await expect(
      service.admin(
        `insert into public.factures (client_id, amount_excl_tax, status, number, issue_date, paid_at)
         values ('${own.clients}', 1, '${status}', 'X', '2024-01-01', ${status === 'PAID' ? 'now()' : 'null'})`,
      ),
    ).rejects.toMatchObject({ detail: '{"status": "must be DRAFT, the status of every new invoice"}' });
});

test('a column that a later release adds to invoices cannot be changed on an issued invoice, and can on a draft', async () => {
  const [draft, issued] = [await createdId(), await issuedId()];
  const change = (id: string) =>
    service.admin(
      `alter table public.factures add column later text; update public.factures set later = 'x' where id = '${id}'; ` +
        'alter table public.factures drop column later',
    );
  await expect(change(issued)).rejects.toMatchObject({
    detail: '{"later": "cannot change any more: the record is ISSUED"}',
  });
  await change(draft);
});

test('a claim that an issued invoice names is not deleted, alone or with its site, and the 409 names the invoice', async () => {
  const tenant = await service.tenant('Named');
  const body = { client_id: tenant.clients, reclamation_id: tenant.reclamations };
  const id = await createdId(body);
  const { json } = await put(id, { status: 'ISSUED' }, { token: unlimitedAdmin });
  for (const line of [`reclamations/${tenant.reclamations}`, `sites/${tenant.sites}`])
    expectError(await service.ask(`DELETE /api/${line}`, { token: unlimitedAdmin }), 'ERROR_CONFLICT', {
      invoices: `refer to this claim, so it cannot be deleted: ${String((json as Invoice).number)}`,
    });
  const drafted = await service.tenant('Drafted');
  const draft = await createdId({ client_id: drafted.clients, reclamation_id: drafted.reclamations });
  const line = `DELETE /api/sites/${drafted.sites}`;
  expect((await service.ask(line, { token: unlimitedAdmin })).status).toBe(204);
  const read = await service.ask(`GET /api/invoices/${draft}`, { token: unlimitedAdmin });
  expect(read.json).toMatchObject({ reclamation_id: null });
});

test('an invoice is not issued before the date of the last number of its year or after today in Paris', async () => {
  const issue = async (issue_date: string) => put(await createdId(), { status: 'ISSUED', issue_date });
  expect((await issue('2024-03-10')).json).toMatchObject({ number: '2024-000001' });
  expectError(await issue('2024-03-09'), 'ERROR_CONFLICT', {
    issue_date:
      'must not be before 2024-03-10, the date of the last invoice number of the year: leave it out for today',
  });
  expect((await issue('2024-03-10')).json).toMatchObject({ number: '2024-000002' });
  expect((await issue('2024-03-11')).json).toMatchObject({ number: '2024-000003' });
  expect((await issue('2023-12-31')).json).toMatchObject({ number: '2023-000001' });
  expect(await listed('number=2023-000001')).toHaveLength(1);
  expect(await listed('q=023-0000')).toHaveLength(1);
  // The row of a year from before this rule has no date.
  await service.admin('update public.invoice_counters set last_issued_on = null where year = 2024');
  expectError(await issue('2024-03-10'), 'ERROR_CONFLICT', { issue_date: expect.stringContaining('2024-03-11') });
  expect((await issue(await day())).status).toBe(200);
  expectError(await issue(await day(1)), 'ERROR_CONFLICT', {
    issue_date: `must not be after today, ${await day()}: leave it out for today`,
  });
});

test('an invoice without issue_date that waits past midnight for its number gets the new day, like the invoice numbered before it', async () => {
  const id = await createdId();
  // The first call of app.paris_day returns the day before midnight, and each later call the day after.
  await expect(
    service.admin(
      `begin;
       create or replace function app.paris_day(moment timestamp with time zone)
           returns date language sql volatile set search_path = ''
       return date '2022-06-09' + coalesce(nullif(pg_catalog.current_setting('test.called', true), ''), '0')::integer
           + 0 * pg_catalog.length(pg_catalog.set_config('test.called', '1', true));
       insert into public.invoice_counters (year, last_number, last_issued_on) values (2022, 1, '2022-06-10');
       update public.factures set status = 'ISSUED' where id = '${id}';
       do $$ begin
           raise exception 'issued'
               using detail = (select f.number || ' ' || f.issue_date from public.factures as f where f.id = '${id}');
       end $$`,
    ),
  ).rejects.toMatchObject({ message: 'issued', detail: '2022-000002 2022-06-10' });
});

test('if 20 invoices are issued at once and 5 of these requests fail late, the invoice numbers have no gap and no duplicate', async () => {
  const drafts = await Promise.all(
    Array.from({ length: 20 }, (_, n) => createdId({ due_date: n % 4 === 0 ? '2021-01-01' : '2021-12-31' })),
  );
  const answers = await Promise.all(drafts.map((id) => put(id, { status: 'ISSUED', issue_date: '2021-06-30' })));
  const failed = answers.filter(({ status }) => status !== 200);
  expect(failed).toHaveLength(5);
  for (const answer of failed) expectError(answer, 'ERROR_VALIDATION');
  const numbers = answers
    .filter(({ status }) => status === 200)
    .map(({ json }) => (json as Invoice).number)
    .toSorted();
  expect(numbers).toEqual(Array.from({ length: 15 }, (_, n) => `2021-${String(n + 1).padStart(6, '0')}`));
});

test('an invoice keeps the name, address and SIREN of its client as they were when it was issued', async () => {
  const change = (body: object) => service.ask(`PUT /api/clients/${own.clients}`, { token: manager, body });
  expectError(await change({ siren: '732829321' }), 'ERROR_VALIDATION', {
    siren: 'must be a SIREN: its check digit is wrong',
  });
  expectError(await change({ siren: '000000000' }), 'ERROR_VALIDATION');
  expect((await change({ siren: '732829320', address: 'Lyon' })).json).toMatchObject({ siren: '732829320' });
  const id = await createdId();
  expect(await stored(id)).toMatchObject({ buyer_name: null, buyer_siren: null });
  const issued = await moveThrough(id, 'ISSUED');
  const buyer = { buyer_name: expect.any(String), buyer_address: 'Lyon', buyer_siren: '732829320' };
  expect(issued?.json).toMatchObject(buyer);
  await change({ siren: null, address: 'Paris', company_name: 'Renamed' });
  expect(await stored(id)).toMatchObject({
    ...buyer,
    buyer_name: (issued?.json as Record<string, unknown>)['buyer_name'],
  });
});

describe('the VAT rate of an invoice', () => {
  test.each([20, 13, 10, 8.5, 5.5, 2.1, 1.75, 1.05, 0.9])(
    'the VAT rate of an invoice may be %d percent',
    async (vat_rate) => {
      expect((await create({ vat_rate })).status).toBe(201);
    },
  );

  test.each([19.6, 20.01, 7, 100])(
    'the VAT rate of an invoice cannot be %d percent, nor become it by a change',
    async (vat_rate) => {
      const rule = { vat_rate: expect.stringContaining('must be a French VAT rate: 20, 13, 10') };
      expectError(await create({ vat_rate }), 'ERROR_CONFLICT', rule);
      expectError(await put(await createdId(), { vat_rate }), 'ERROR_CONFLICT', rule);
    },
  );

  test('a draft that was stored with a VAT rate before the rule keeps this rate until somebody changes it', async () => {
    const id = await createdId();
    await service.admin(
      `set session_replication_role = replica; update public.factures set vat_rate = 19.6 where id = '${id}'; reset session_replication_role`,
    );
    expect((await put(id, { vat_rate: 19.6, amount_excl_tax: 50 })).status).toBe(200);
    expect((await moveThrough(id, 'ISSUED', 'PAID'))?.json).toMatchObject({ vat_rate: 19.6 });
  });

  test('an invoice with a VAT rate of zero is issued only with a reason', async () => {
    const id = await createdId({ vat_rate: 0 });
    const refused = { vat_exemption_reason: 'is required: an invoice without VAT must state the reason' };
    expectError(await put(id, { status: 'ISSUED' }), 'ERROR_CONFLICT', refused);
    expectError(await put(id, { status: 'ISSUED', vat_exemption_reason: ' ' }), 'ERROR_CONFLICT', refused);
    const reason = { vat_exemption_reason: 'Article 293 B du CGI' };
    expect((await put(id, { status: 'ISSUED', ...reason })).json).toMatchObject({ vat_amount: 0, ...reason });
  });
});

test('an invoice is issued today although the previous release gave the year’s last number a date after today', async () => {
  const before = await issuedId();
  const clear = `update public.invoice_counters set last_issued_on = null where year = extract(year from app.paris_today())`;
  const date = (days: number) =>
    service.admin(
      `set session_replication_role = replica; ${clear};
       update public.factures set issue_date = app.paris_today() + ${days}, due_date = null where id = '${before}';
       set session_replication_role = origin`,
    );
  await date(3);
  expect((await put(await createdId(), { status: 'ISSUED' })).json).toMatchObject({ issue_date: await day() });
  await date(0);
});

describe('a credit note', () => {
  const noteId = (credits_id: string, body: object = {}) => createdId({ kind: 'CREDIT_NOTE', credits_id, ...body });

  test('a credit note of the whole amount gets the next number and cancels its invoice, also a paid one, whose time of payment stays', async () => {
    for (const moves of [['ISSUED'], ['ISSUED', 'PAID']]) {
      const id = await createdId();
      const { paid_at, number } = (await moveThrough(id, ...moves))?.json as Record<string, string>;
      const note = await moveThrough(await noteId(id), 'ISSUED');
      const next = String(Number(number?.slice(5)) + 1).padStart(6, '0');
      expect(note?.json).toMatchObject({ number: `${String(number?.slice(0, 5))}${next}`, amount_incl_tax: 120 });
      expect(await stored(id)).toMatchObject({ status: 'CANCELLED', paid_at });
      expectError(await put(id, { paid_at: '2020-01-01T00:00:00.000Z' }), 'ERROR_CONFLICT');
      expectError(await put(await createdId(), { kind: 'CREDIT_NOTE', credits_id: id }), 'ERROR_CONFLICT');
    }
  });

  test('a credit note of the whole amount leaves a change of its invoice to CANCELLED in the audit log', async () => {
    const id = await issuedId();
    await moveThrough(await noteId(id), 'ISSUED');
    const { json } = await service.ask(`GET /api/invoices/${id}/changes`, { token: manager });
    expect(json).toContainEqual(expect.objectContaining({ field: 'status', old: 'ISSUED', new: 'CANCELLED' }));
  });

  test('a credit note of a part of the amount does not change its invoice, and the credit notes of an invoice cannot exceed its amount', async () => {
    const id = await issuedId();
    await moveThrough(await noteId(id, { amount_excl_tax: 60 }), 'ISSUED');
    expect(await stored(id)).toMatchObject({ status: 'ISSUED' });
    const rest = await noteId(id, { amount_excl_tax: '40.01' });
    expectError(await put(rest, { status: 'ISSUED' }), 'ERROR_CONFLICT', {
      amount_excl_tax: expect.stringMatching(/^must be at most 40\.00, the amount left of invoice \d{4}-\d{6}$/),
    });
    expect((await put(rest, { status: 'ISSUED', amount_excl_tax: '39.99' })).status).toBe(200);
    expect(await stored(id)).toMatchObject({ status: 'ISSUED' });
    await moveThrough(await noteId(id, { amount_excl_tax: '0.01' }), 'ISSUED');
    expect(await stored(id)).toMatchObject({ status: 'CANCELLED' });
  });

  test('if five credit notes of the whole amount are issued at the same time, one is issued', async () => {
    const id = await issuedId();
    const notes = await Promise.all(Array.from({ length: 5 }, () => noteId(id)));
    const answers = await Promise.all(notes.map((note) => put(note, { status: 'ISSUED' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    expect(await stored(id)).toMatchObject({ status: 'CANCELLED' });
  });

  test('a credit note cannot credit a draft, another credit note, an invoice of another client, or none', async () => {
    const draft = await createdId();
    const note = await noteId(await issuedId());
    await moveThrough(note, 'ISSUED');
    for (const credits_id of [draft, note])
      expectError(await create({ kind: 'CREDIT_NOTE', credits_id }), 'ERROR_CONFLICT', {
        credits_id: 'must be an invoice that is ISSUED or PAID, and no credit note',
      });
    const foreign = await service.tenant('Foreign');
    const theirs = await createdId({ client_id: foreign.clients });
    await put(theirs, { status: 'ISSUED' }, { token: unlimitedAdmin });
    for (const credits_id of [theirs, '00000000-0000-4000-8000-000000000000'])
      expectError(await create({ kind: 'CREDIT_NOTE', credits_id }), 'ERROR_CONFLICT', {
        credits_id: expect.any(String),
      });
    expectError(await create({ kind: 'CREDIT_NOTE' }), 'ERROR_VALIDATION', { credits_id: expect.any(String) });
    expectError(await create({ credits_id: await issuedId() }), 'ERROR_VALIDATION', { credits_id: expect.any(String) });
  });

  test('the policy refuses a credit note in SQL for another client’s invoice, whatever the status of that invoice', async () => {
    const foreign = await service.tenant('Foreign');
    const draft = await createdId({ client_id: foreign.clients });
    const issued = await createdId({ client_id: foreign.clients });
    await put(issued, { status: 'ISSUED' }, { token: unlimitedAdmin });
    for (const id of [draft, issued])
      await expect(
        service.admin(
          `begin; set local role taxclaims_account_manager;
           select set_config('app.client_access', '{${own.clients}}', true);
           insert into public.factures (client_id, kind, credits_id, amount_excl_tax)
           values ('${foreign.clients}', 'CREDIT_NOTE', '${id}', 1); commit`,
        ),
      ).rejects.toThrow('new row violates row-level security policy for table "factures"');
  });

  test('a credit note is not dated before its invoice, neither as a draft nor when it is issued, although each year has its own numbers', async () => {
    const invoice = await createdId();
    const number = String(
      ((await put(invoice, { status: 'ISSUED', issue_date: '2020-01-02' })).json as Invoice).number,
    );
    const refused = { issue_date: `must be 2020-01-02 or later: invoice ${number} is of that day` };
    const typed = (issue_date: string) => ({ kind: 'CREDIT_NOTE', credits_id: invoice, issue_date });
    expectError(await create(typed('2020-01-01')), 'ERROR_CONFLICT', refused);
    const note = await noteId(invoice, { amount_excl_tax: 1 });
    expectError(await put(note, { issue_date: '2019-12-31' }), 'ERROR_CONFLICT', refused);
    expectError(await put(note, { issue_date: '2019-12-31', status: 'ISSUED' }), 'ERROR_CONFLICT', refused);
    expect((await put(note, { issue_date: '2020-01-02', status: 'ISSUED' })).status).toBe(200);
    expect((await create(typed('2020-01-03'))).status).toBe(201);
    const undated = await noteId(invoice, { amount_excl_tax: 1 });
    expect((await moveThrough(undated, 'ISSUED'))?.json).toMatchObject({ issue_date: await day() });
    // A draft from before this rule stays editable, and is not issued.
    const early = await noteId(invoice, { amount_excl_tax: 1 });
    await service.admin(
      `set session_replication_role = replica; update public.factures set issue_date = '2019-12-31' where id = '${early}'; reset session_replication_role`,
    );
    expect((await put(early, { issue_date: '2019-12-31', amount_excl_tax: 2 })).status).toBe(200);
    expectError(await put(early, { status: 'ISSUED' }), 'ERROR_CONFLICT', refused);
  });

  test('a credit note without a date is not issued before the day of an invoice that the previous release dated after today', async () => {
    const id = await issuedId();
    const note = await noteId(id, { amount_excl_tax: 1 });
    await service.admin(
      `set session_replication_role = replica;
       update public.factures set issue_date = app.paris_today() + 1, due_date = null where id = '${id}';
       set session_replication_role = origin`,
    );
    expectError(await put(note, { status: 'ISSUED' }), 'ERROR_CONFLICT', {
      issue_date: expect.stringContaining(`must be ${await day(1)} or later`),
    });
  });

  test('a credit note has the VAT rate of its invoice', async () => {
    const note = await noteId(await issuedId(), { vat_rate: 10 });
    expectError(await put(note, { status: 'ISSUED' }), 'ERROR_CONFLICT', { vat_rate: expect.any(String) });
    expect((await put(note, { status: 'ISSUED', vat_rate: 20 })).status).toBe(200);
  });

  test('only a credit note cancels an invoice, even one of 0: nobody moves it to CANCELLED, not even after a part was credited', async () => {
    const [id, free] = [await issuedId(), await issuedId({ amount_excl_tax: 0 })];
    await moveThrough(await noteId(id, { amount_excl_tax: '99.99' }), 'ISSUED');
    const note = await noteId(free, { amount_excl_tax: 0 });
    for (const one of [id, free])
      expectError(await put(one, { status: 'CANCELLED' }, { token: unlimitedAdmin }), 'ERROR_CONFLICT', {
        status: 'cannot be CANCELLED now: from ISSUED you can move it to PAID',
      });
    await moveThrough(note, 'ISSUED');
    expect(await stored(free)).toMatchObject({ status: 'CANCELLED' });
  });

  test('a summary subtracts credit notes from its totals, and what was credited is no longer due', async () => {
    const tenant = await service.tenant('Summed');
    const mine = { client_id: tenant.clients };
    const token = unlimitedAdmin;
    const [id, paid] = [await createdId(mine), await createdId(mine)];
    for (const one of [id, paid]) await put(one, { status: 'ISSUED' }, { token });
    await put(paid, { status: 'PAID' }, { token });
    for (const [credits_id, amount_excl_tax] of [
      [id, 30],
      [paid, 100],
    ] as const)
      await put(await noteId(credits_id, { ...mine, amount_excl_tax }), { status: 'ISSUED' }, { token });
    const { json } = await service.ask(`GET /api/invoices/summary?by=client&client_id=${tenant.clients}`, { token });
    expect(json).toMatchObject([{ count: 4, amount_excl_tax: 70, amount_incl_tax: 84, due: 84, paid: 120 }]);
  });
});

test('the deadline of an invoice shows the amount still owed: the invoice less its issued credit notes, not less drafts', async () => {
  const due_date = await day(3);
  const [id, other] = [await createdId({ due_date }), await createdId({ due_date })];
  for (const one of [id, other]) await moveThrough(one, 'ISSUED');
  const note = (amount_excl_tax: string) => createdId({ kind: 'CREDIT_NOTE', credits_id: id, amount_excl_tax });
  const owed = async (one: string) => {
    const { json } = await service.ask('GET /api/deadlines?kind=invoice', { token: manager });
    return (json as Record<string, unknown>[]).flatMap((row) => (row['id'] === one ? [row['amount']] : []));
  };
  await note('10');
  expect(await owed(id)).toEqual([120]);
  for (const amount of ['30', '69.99']) await moveThrough(await note(amount), 'ISSUED');
  expect(await owed(id)).toEqual([0.01]);
  expect(await owed(other)).toEqual([120]);
  await moveThrough(await note('0.01'), 'ISSUED');
  expect(await owed(id)).toEqual([]);
});

describe('the deletion of an invoice', () => {
  const remove = (id: string) => service.ask(`DELETE /api/invoices/${id}`, { token: unlimitedAdmin });

  test.each([{ moves: ['ISSUED'] }, { moves: ['ISSUED', 'PAID'] }])(
    'the deletion of an invoice that had the statuses $moves gets 409, and so does the deletion of the invoice’s client',
    async ({ moves }) => {
      const tenant = await service.tenant('Invoiced');
      const id = await createdId({ client_id: tenant.clients, reclamation_id: tenant.reclamations });
      for (const status of moves) await put(id, { status }, { token: unlimitedAdmin });
      expectError(await remove(id), 'ERROR_CONFLICT', {
        status: `is ${String(moves.at(-1))}: a record with this status is never deleted`,
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
