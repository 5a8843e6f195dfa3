import { randomUUID } from 'node:crypto';
import { request as send } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { withAdmin } from '../support/database.ts';
import { person } from '../support/people.ts';
import { make } from '../support/rows.ts';
import { details, expectError, problemsOf, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { until } from '../support/upload.ts';

/*
 * This suite tests bulk changes of records in one request: all changes are stored or none, each with the rights of a
 * single change.
 */

let log = '';
const service = await forSuite(startService({ log: pino({}, { write: (line) => (log += line) }) }));
const own = await service.furnishedTenant('Own');
const foreign = await service.furnishedTenant('Foreign');
const clerk = await person(service, 'TAX_SPECIALIST', [own.clients], { name: 'Ada' });
const PATH = 'POST /api/reclamations/changes';

interface Claim {
  readonly id: string;
  readonly [column: string]: unknown;
}

let claims: string[] = [];
beforeEach(async () => {
  claims = [];
  for (let count = 0; count < 4; count += 1)
    claims.push(
      await make(service, 'reclamations', { client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: 1 }),
    );
});

const ask = (changes: readonly object[], more: object = {}, line = PATH) =>
  service.ask(line, { token: clerk.token, body: { changes }, ...more });
const each = (change: object): Claim[] => claims.map((id) => ({ id, ...change }));
const stored = () =>
  service.admin('select id, amount::text, status from public.reclamations where id = any ($1) order by id', [claims]);
const waiting = async (): Promise<number> => {
  const rows = await service.admin(
    `select from pg_stat_activity
     where datname = current_database() and application_name like 'taxclaims-api%' and wait_event_type = 'Lock'`,
  );
  return rows.length;
};
const recorded = () =>
  service.admin(
    `select resource_id as id, changed from public.audit_logs
     where resource_id = any ($1) and success and action like 'POST /api/reclamations/changes%' order by created_at`,
    [claims],
  );

describe('a bulk change of claims', () => {
  test('a bulk change returns the records in the order of the changes and audits each record once', async () => {
    const changes = each({ assignee_id: clerk.id }).toReversed();
    changes[1] = { ...(changes[1] as Claim), status: 'READY_FOR_REVIEW', grounds: 'Erreur' };
    const answer = await ask(changes);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(changes.map((change) => expect.objectContaining(change) as unknown));
    expect((await recorded()).map(({ id }) => id).toSorted()).toEqual(claims.toSorted());
    const read = await service.ask(`GET /api/reclamations/${changes[0]?.id ?? ''}`, { token: clerk.token });
    expect((answer.json as unknown[])[0]).toEqual(read.json);
  });

  test('a bulk change with dry_run returns the changed records and stores nothing', async () => {
    const before = await stored();
    const answer = await ask(each({ status: 'READY_FOR_REVIEW' }), {}, `${PATH}?dry_run=true`);
    expect(answer.json).toEqual(
      claims.map((id) => expect.objectContaining({ id, status: 'READY_FOR_REVIEW' }) as unknown),
    );
    expect([await stored(), await recorded()]).toEqual([before, []]);
  });

  test.each([
    [
      'a status that cannot follow the present one',
      { status: 'CLOSED' },
      'ERROR_CONFLICT',
      'status',
      'move_not_allowed',
    ],
    ['the present status as the new one', { status: 'DRAFT' }, 'ERROR_CONFLICT', 'status', 'already'],
    ['a field that is not valid', { amount: -1 }, 'ERROR_VALIDATION', 'amount', 'not_a_decimal'],
    ['an unknown field', { surprise: 1 }, 'ERROR_VALIDATION', 'surprise', 'unknown_field'],
    [
      'a granted amount above the claimed amount',
      { granted_amount: 5 },
      'ERROR_VALIDATION',
      'granted_amount',
      'above_amount',
    ],
    ['an unknown site', { site_id: randomUUID() }, 'ERROR_NOT_FOUND', 'site_id', 'no_such_record'],
    ['an unknown assignee', { assignee_id: randomUUID() }, 'ERROR_VALIDATION', 'assignee_id', 'not_assignable'],
    [
      'the version of an older record',
      { version: '2020-01-01T00:00:00.000Z' },
      'ERROR_PRECONDITION_FAILED',
      'version',
      'changed_since',
    ],
  ] as const)(
    'a bulk change with %s in two of its changes stores nothing, and its error names the index, field and code of each',
    async (_what, wrong, code, field, problem) => {
      const before = await stored();
      const changes = each({ amount: 7 });
      for (const index of [1, 3]) changes[index] = { id: claims[index] ?? '', ...wrong };
      const answer = await ask(changes);
      expectError(answer, code);
      expect(Object.keys(details(answer) as object)).toEqual([`1.${field}`, `3.${field}`]);
      expect(problemsOf(answer)).toEqual(
        [1, 3].map((index) => expect.objectContaining({ index, field, code: problem }) as unknown),
      );
      expect([await stored(), await recorded()]).toEqual([before, []]);
    },
  );

  test('a bulk change with a number of too many digits names the field and the index of the change', async () => {
    const body = `{"changes":[${[7, '1.000000000000000001', 7]
      .map((amount, index) => `{"id":"${claims[index] ?? ''}","amount":${amount}}`)
      .join()}]}`;
    const answer = await service.ask('POST /api/reclamations/changes', {
      token: await service.token('ADMIN'),
      headers: { 'content-type': 'application/json' },
      body,
    });
    expectError(answer, 'ERROR_VALIDATION', { '1.amount': 'must have at most 15 digits' });
  });

  test('a bulk change reports every invalid field of every change, even if other changes have other errors', async () => {
    const versions = claims.map((id) => ({ id }));
    const answer = await ask([
      { ...versions[0], status: 'CLOSED', granted_amount: 5, assignee_id: randomUUID(), amount: 2 },
      { ...versions[1], version: '2020-01-01T00:00:00.000Z' },
      { ...versions[2], status: 'CLOSED' },
      { ...versions[3], amount: 3 },
    ]);
    expectError(answer, 'ERROR_PRECONDITION_FAILED');
    expect(problemsOf(answer).map(({ index, field, code }) => [index, field, code])).toEqual([
      [0, 'status', 'move_not_allowed'],
      [0, 'granted_amount', 'above_amount'],
      [0, 'assignee_id', 'not_assignable'],
      [1, 'version', 'changed_since'],
      [2, 'status', 'move_not_allowed'],
    ]);
  });

  test('if two changes of one bulk request conflict only with each other, the error names the later change', async () => {
    const manager = await service.token('ACCOUNT_MANAGER', [own.clients]);
    const bill = { client_id: own.clients, partner_id: own.partners, amount_excl_tax: 1 };
    const ids = await Promise.all(['A', 'B'].map((number) => make(service, 'partner_invoices', { ...bill, number })));
    const answer = await service.ask('POST /api/partner-invoices/changes', {
      token: manager,
      body: { changes: ids.map((id) => ({ id, number: 'C' })) },
    });
    expectError(answer, 'ERROR_CONFLICT');
    expect(problemsOf(answer)).toEqual([expect.objectContaining({ index: 1, field: 'number', code: 'taken' })]);
  });

  test('a bulk change with more than 100 refused records reports the first 100 by index, and says that there are more', async () => {
    const rows = await service.admin(
      `insert into public.reclamations (id, client_id, site_id, claim_type, amount)
       select gen_random_uuid(), $1, $2, 'TF', 1 from generate_series(1, 102) returning id`,
      [own.clients, own.sites],
    );
    const first = Array.from({ length: 100 }, (_, index) => [index, expect.any(String)]);
    const refused = await ask(rows.map(({ id }) => ({ id, status: 'CLOSED' })));
    expect(problemsOf(refused).map(({ index, code }) => [index, code])).toEqual([...first, [undefined, 'more']]);
    const nobody = await ask(rows.map(() => ({ id: randomUUID(), amount: 2 })));
    expect(problemsOf(nobody).map(({ index, code }) => [index, code])).toEqual([...first, [undefined, 'more']]);
  });

  test('while the service searches a refused bulk change for further errors, another request can change the same records', async () => {
    // The service refuses the bulk change because of its third claim. It then tries each change alone under a
    // savepoint, and the test makes the service wait at the change of the second claim.
    const [first = '', second = '', third = ''] = claims;
    await service.admin(
      `create function public.wait_at_gate() returns trigger language plpgsql security definer as $$ begin
         if (select r.xmin from public.reclamations as r where r.id = new.id) <> pg_current_xact_id()::xid then
           perform pg_advisory_xact_lock(4711);
         end if;
         return null; end $$;
       create trigger wait_at_gate after update on public.reclamations
       for each row when (new.id = '${second}') execute function public.wait_at_gate()`,
    );
    await withAdmin(service.postgres.adminUrl, async (holder) => {
      await holder.query('select pg_advisory_lock(4711)');
      const refused = ask([
        { id: first, amount: 3 },
        { id: second, amount: 3 },
        { id: third, status: 'CLOSED' },
      ]);
      await until(async () => (await waiting()) === 1);
      const other = await service.ask(`PUT /api/reclamations/${first}`, { token: clerk.token, body: { amount: 4 } });
      await holder.query('select pg_advisory_unlock(4711)');
      expect(other.status).toBe(200);
      expect(problemsOf(await refused)).toEqual([expect.objectContaining({ index: 2, field: 'status' })]);
    });
    await service.admin('drop trigger wait_at_gate on public.reclamations; drop function public.wait_at_gate()');
  });

  test('a bulk change with a record of another tenant gets 403 that is audited with that record', async () => {
    const before = await stored();
    const answer = await ask([...each({ amount: 7 }), { id: foreign.reclamations, amount: 7 }]);
    expectError(answer, 'ERROR_FORBIDDEN');
    const [record] = await service.admin('select * from public.audit_logs where request_id = $1', [
      answer.headers['x-request-id'],
    ]);
    expect(record).toMatchObject({
      ...{ success: false, resource_type: 'reclamations' },
      ...{ resource_id: foreign.reclamations, client_context: foreign.clients },
    });
    expect(await stored()).toEqual(before);
  });

  test('the service accepts a bulk change of 500 records with ten changed fields each', async () => {
    const rows = await service.admin(
      `insert into public.reclamations (id, client_id, site_id, claim_type, amount)
       select gen_random_uuid(), $1, $2, 'TF', 1 from generate_series(1, 500) returning id`,
      [own.clients, own.sites],
    );
    const fields = {
      ...{ amount: 3, granted_amount: 1, tax_year: 2024, claim_type: 'CFE', commune_code: '69123' },
      ...{ grounds: 'Erreur '.repeat(150), collection_date: null, assignee_id: clerk.id },
    };
    const changes = rows.map(({ id }, index) => ({ id, ...fields, notice_reference: `A${index}` })).toReversed();
    const headers = { 'idempotency-key': randomUUID() };
    const answers = [await ask(changes, { headers }), await ask(changes, { headers })];
    for (const { status, json } of answers)
      expect([status, (json as Claim[]).map(({ id }) => id)]).toEqual([200, changes.map(({ id }) => id)]);
  });

  test('a bulk change with an unknown record, a repeated record, no record or 501 records is refused', async () => {
    const [first = ''] = claims;
    const nobody = await ask([
      { id: first, amount: 2 },
      { id: randomUUID(), amount: 2 },
    ]);
    expectError(nobody, 'ERROR_NOT_FOUND');
    expect(details(nobody)).toEqual({ '1.id': 'does not exist' });
    const twice = await ask([
      { id: first, amount: 2 },
      { id: first, amount: 3 },
    ]);
    expect(Object.keys(details(twice) as object)).toEqual(['1.id']);
    for (const count of [0, 501])
      expectError(
        await ask(Array.from({ length: count }, () => ({ id: randomUUID(), amount: 2 }))),
        'ERROR_VALIDATION',
      );
  });

  test('a bulk change is refused if one of its records has another version than the request names', async () => {
    const read = await service.ask(`GET /api/reclamations?site_id=${own.sites}`, { token: clerk.token });
    const versions = new Map((read.json as Claim[]).map((claim) => [claim.id, claim['updated_at']]));
    const changes = claims.map((id) => ({ id, version: versions.get(id), amount: 9 }));
    expect((await ask(changes)).status).toBe(200);
    expectError(await ask(changes), 'ERROR_PRECONDITION_FAILED');
  });

  test('a bulk change accepts a version that lost its microseconds in a JavaScript Date, and gets 412 after another change in the same millisecond', async () => {
    const [first = '', second = ''] = claims;
    const read = async (id: string) => {
      const { json } = await service.ask(`GET /api/reclamations/${id}`, { token: clerk.token });
      return new Date(String((json as Claim)['updated_at']));
    };
    // A clock in the future keeps all changes within one millisecond, unless each change moves to the next one.
    await withAdmin(service.postgres.adminUrl, async (admin) => {
      await admin.query('set session_replication_role = replica');
      await admin.query(
        `update public.reclamations set updated_at = '2030-01-01T00:00:00.000999Z' where id = any ($1)`,
        [claims],
      );
    });
    const version = await read(first);
    expect(version.toISOString()).toBe('2030-01-01T00:00:00.000Z');
    const change = { id: first, version, amount: 9 };
    expect((await ask([change])).status).toBe(200);
    expect((await read(first)).toISOString()).toBe('2030-01-01T00:00:00.001Z');
    const refused = await ask([{ id: second, version: await read(second), amount: 9 }, change]);
    expectError(refused, 'ERROR_PRECONDITION_FAILED');
    expect(problemsOf(refused).map(({ index, field }) => [index, field])).toEqual([[1, 'version']]);
    const exact = await ask([{ id: second, version: '2030-01-01T00:00:00.000999Z', amount: 8 }]);
    expect(exact.status).toBe(200);
  });

  test('a bulk change to the values that the records already have changes no version and adds no audit record', async () => {
    const before = (await service.ask('GET /api/reclamations', { token: clerk.token })).json as Claim[];
    const records = before.filter(({ id }) => claims.includes(id));
    const same = await ask(records.map((record) => ({ ...record, version: record['updated_at'] })));
    expect([same.status, same.json]).toEqual([200, records]);
    const some = await ask([...records.slice(1), { id: records[0]?.id, amount: 2 }]);
    expect(some.status).toBe(200);
    expect((some.json as Claim[]).slice(0, -1)).toEqual(records.slice(1));
    expect((await recorded()).map(({ id }) => id)).toEqual([records[0]?.id]);
  });

  test('a repeated bulk change with the same Idempotency-Key changes nothing, and returns the present records', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const changes = each({ status: 'READY_FOR_REVIEW' });
    const first = await ask(changes, { headers });
    const again = await ask(changes, { headers });
    expect([again.status, again.json]).toEqual([200, first.json]);
    expect(await recorded()).toHaveLength(claims.length);
    expectError(await ask(each({ amount: 3 }), { headers }), 'ERROR_CONFLICT');
    await service.admin('delete from public.reclamations where id = $1', [claims[2]]);
    expectError(await ask(changes, { headers }), 'ERROR_NOT_FOUND');
  });

  test('eight simultaneous bulk changes of the same records in opposite orders all succeed', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const changes = each({ amount: 10 + index });
        return ask(index % 2 === 0 ? changes : changes.toReversed());
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set((await stored()).map(({ amount }) => amount)).size).toBe(1);
  });

  test('the service tries the changes of a refused bulk change one by one to find all errors, until the sender disconnects', async () => {
    const rows = await service.admin(
      `insert into public.reclamations (id, client_id, site_id, claim_type, amount)
       select gen_random_uuid(), $1, $2, 'TF', 1 from generate_series(1, 80) returning id`,
      [own.clients, own.sites],
    );
    const changes = rows.map(({ id }) => ({ id, status: 'CLOSED' }));
    // The test counts with a sequence how often the service tries a change, because a rollback does not reset a
    // sequence.
    await service.admin(
      `create sequence public.tries;
       create function public.count_try() returns trigger language plpgsql security definer
       as $$ begin perform nextval('public.tries'); return null; end $$;
       create trigger count_tries before update on public.reclamations
       for each statement execute function public.count_try()`,
    );
    const tries = async () => Number((await service.admin('select last_value from public.tries'))[0]?.['last_value']);
    const before = await tries();
    expect(problemsOf(await ask(changes))).toHaveLength(changes.length);
    const whole = (await tries()) - before;
    expect(whole).toBeGreaterThanOrEqual(changes.length);
    await withAdmin(service.postgres.adminUrl, async (holder) => {
      await holder.query('begin');
      await holder.query('select from public.reclamations where id = $1 for update', [changes[0]?.id]);
      const headers = { authorization: `Bearer ${clerk.token}`, 'content-type': 'application/json' };
      const [method = '', path = ''] = PATH.split(' ');
      const request = send({ port: service.port, method, path, headers, agent: false });
      request.on('error', () => undefined).end(JSON.stringify({ changes }));
      await until(async () => (await waiting()) === 1);
      log = '';
      request.destroy();
      await until(() => log.includes('"aborted":true'));
      const begun = await tries();
      await holder.query('commit');
      let [latest, looks] = [begun, 0];
      await until(async () => {
        const now = await tries();
        [latest, looks] = [now, now === latest ? looks + 1 : 0];
        return looks === 30;
      });
      expect(latest - begun).toBeLessThan(whole / 2);
    });
    await service.admin('drop function public.count_try() cascade; drop sequence public.tries');
  });
});
