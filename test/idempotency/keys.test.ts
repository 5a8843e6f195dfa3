import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { waiting } from '../support/held-row.ts';
import type { Answer, Question } from '../support/http.ts';
import { details, expectError, startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { pdf } from '../support/samples.ts';
import { begin, filesIn, form, FORM, frame, until } from '../support/upload.ts';
import { countOf, newKey, partsOf, withKey } from './keyed.ts';
import { connected } from '../support/database.ts';

/*
 * Tests of requests with an Idempotency-Key that is in use or was used. The slow tests in test/faults interrupt such
 * requests.
 */

let service: Service;
let own: Tenant;
let keyed: Question;
const LINE = 'POST /api/sites';

beforeEach(async () => {
  service = await startService();
  own = await service.furnishedTenant('Own');
  const token = await service.token('ADMIN');
  keyed = withKey(newKey(), { token, body: { client_id: own.clients, site_name: 'Entrepôt' } });
});
afterEach(() => service.close());

const made = () => countOf(service, `public.sites where site_name = 'Entrepôt'`);
const send = () => service.ask(LINE, keyed);

function expectUnderWay(answer: Answer): void {
  expectError(answer, 'ERROR_CONFLICT');
  expect(details(answer)).toEqual({ 'Idempotency-Key': 'belongs to a request that is still running' });
  expect(answer.headers['retry-after']).toBe('1');
}

/** Runs `work` while requests wait for the database lock that the SQL `hold` takes, in the middle of a transaction. */
async function held(hold: string, work: () => Promise<void>): Promise<void> {
  const holder = await connected(service.postgres.adminUrl);
  try {
    await holder.query(`begin; ${hold}`);
    await work();
  } finally {
    await holder.end();
  }
}

/** The SQL that locks a row of the tenant, for which each creation below the row waits. */
const lockOf = (table: 'clients' | 'reclamations') =>
  `select from public.${table} where id = '${own[table]}' for update`;

test('while a creation runs, a repetition with the same Idempotency-Key gets 409 at once; afterwards a repetition gets the creation’s answer', async () => {
  let first: Promise<Answer> | undefined;
  await held(lockOf('clients'), async () => {
    first = send();
    while ((await waiting(service)) < 1);
    // The service’s pool has four database connections, so waiting repetitions would leave none for the last of these
    // requests.
    for (const answer of await Promise.all(Array.from({ length: 20 }, send))) expectUnderWay(answer);
    expect(await waiting(service)).toBe(1);
  });
  const answer = await (first as unknown as Promise<Answer>);
  expect(answer.status).toBe(201);
  expect(partsOf(await send())).toEqual(partsOf(answer));
  expect(await made()).toBe(1);
});

test('a running creation delays neither a creation with another Idempotency-Key nor another caller with the same key', async () => {
  const foreign = await service.furnishedTenant('Other');
  const body = { client_id: foreign.clients, site_name: 'Ailleurs' };
  const token = await service.token('ADMIN', [], { sub: 'idp|somebody else' });
  const key = String(keyed.headers?.['idempotency-key']);
  let first: Promise<Answer> | undefined;
  await held(lockOf('clients'), async () => {
    first = send();
    while ((await waiting(service)) < 1);
    const others = [withKey(newKey(), { ...keyed, body }), withKey(key, { token, body })];
    for (const question of others) expect((await service.ask(LINE, question)).status).toBe(201);
  });
  expect((await (first as unknown as Promise<Answer>)).status).toBe(201);
});

test('after a creation was refused with 400, 403 or 404, its Idempotency-Key can be used again', async () => {
  const key = newKey();
  const token = await service.token('ADMIN');
  const ask = (body: object) => service.ask(LINE, withKey(key, { token, body }));
  expectError(await ask({ client_id: own.clients }), 'ERROR_VALIDATION');
  expectError(await ask({ client_id: newKey(), site_name: 'Entrepôt' }), 'ERROR_NOT_FOUND');
  const foreign = await service.token('ACCOUNT_MANAGER', [], { sub: 'idp|ADMIN' });
  const body = { client_id: own.clients, site_name: 'Entrepôt' };
  expectError(await service.ask(LINE, withKey(key, { token: foreign, body })), 'ERROR_FORBIDDEN');
  expect(await countOf(service, 'app.idempotency_keys')).toBe(0);
  expect((await ask(body)).status).toBe(201);
});

const path = () => `POST /api/reclamations/${own.reclamations}/documents`;
const contents = async () => (await filesIn(service.documentFolder)).filter((file) => file !== own.documents);
const planned = () => countOf(service, 'app.content_removals');

async function upload(key: string, body: Buffer, type = FORM): Promise<Answer> {
  const token = await service.token('CLIENT', [own.clients]);
  return service.ask(path(), withKey(key, { token, headers: { 'content-type': type }, body }));
}

test('a repeated upload with another multipart boundary is accepted, and one with other bytes or another name or type gets 409', async () => {
  const key = newKey();
  const first = await upload(key, form({}));
  const boundary = /boundary=(.*)$/.exec(FORM)?.[1] ?? '';
  const renamed = Buffer.from(form({}).toString('latin1').replaceAll(boundary, 'another'), 'latin1');
  const type = FORM.replace(boundary, 'another');
  expect(partsOf(await upload(key, renamed, type))).toEqual(partsOf(first));
  for (const part of [{ name: 'autre.pdf' }, { type: 'application/x-pdf' }, { bytes: '%PDF-1.7\nautre' }]) {
    const refused = await upload(key, form(part));
    expectError(refused, 'ERROR_CONFLICT');
    expect(details(refused)).toEqual({ 'Idempotency-Key': 'was used for another request' });
  }
  expect((await contents()).length).toBe(1);
});

test('an upload holds neither a transaction nor its Idempotency-Key while its body arrives', async () => {
  const token = await service.token('CLIENT', [own.clients]);
  const key = newKey();
  const { request, answer } = begin(service, token, own.reclamations, { 'idempotency-key': key });
  const { head, tail } = frame();
  request.write(Buffer.concat([head, pdf]));
  await until(async () => (await filesIn(service.documentFolder)).length > 1);
  const open = await service.admin(
    `select count(*)::integer as open from pg_stat_activity
       where datname = current_database() and application_name like 'taxclaims-api%' and xact_start is not null`,
  );
  expect(open).toEqual([{ open: 0 }]);
  const meanwhile = await upload(key, form({}));
  expect(meanwhile.status).toBe(201);
  request.end(tail);
  expect((await answer).json).toEqual(meanwhile.json);
  expect(await countOf(service, `public.documents where reclamation_id = '${own.reclamations}'`)).toBe(2);
});

test('an upload gets 409 and stores no content while an upload with its Idempotency-Key is running', async () => {
  const key = newKey();
  let first: Promise<Answer> | undefined;
  await held(lockOf('reclamations'), async () => {
    first = upload(key, form({}));
    while ((await waiting(service)) < 1);
    const before = await contents();
    expectUnderWay(await upload(key, form({})));
    expect(await contents()).toEqual(before);
  });
  expect((await (first as unknown as Promise<Answer>)).status).toBe(201);
  expect([(await contents()).length, await planned()]).toEqual([1, 0]);
});

/**
 * Starts two uploads with one Idempotency-Key that both found the key unused and wait for a lock before they store the
 * key.
 */
async function bothFindItFree(key: string, answers: Promise<Answer>[]): Promise<void> {
  for (const waiters of [1, 2]) {
    answers.push(upload(key, form({})));
    while ((await waiting(service)) < waiters);
  }
}

test('an upload that finds its Idempotency-Key in use only after storing its content gets 409, and the content is removed', async () => {
  const key = newKey();
  const answers: Promise<Answer>[] = [];
  await held(lockOf('reclamations'), async () => {
    await held('lock table app.content_removals in share mode', async () => {
      await bothFindItFree(key, answers);
    });
    expectUnderWay(await Promise.race(answers));
    expect([(await contents()).length, await planned()]).toEqual([1, 1]);
  });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([201, 409]);
  expect([(await contents()).length, await planned()]).toEqual([1, 0]);
});

test('two uploads that both found the Idempotency-Key unused create one document, and the other content is planned for removal', async () => {
  const key = newKey();
  const answers: Promise<Answer>[] = [];
  await held('lock table app.content_removals in share mode', async () => {
    await bothFindItFree(key, answers);
  });
  const [one, two] = await Promise.all(answers);
  const made = [one, two].filter((answer) => answer?.status === 201) as Answer[];
  expect(made.length).toBeGreaterThan(0);
  expect(new Set(made.map((answer) => JSON.stringify(partsOf(answer)))).size).toBe(1);
  expect(await countOf(service, `public.documents where reclamation_id = '${own.reclamations}'`)).toBe(2);
  expect((await contents()).length).toBe(1 + (await planned()));
});
