import { expect, test } from '@jest/globals';
import { collide } from '../support/held-row.ts';
import type { Answer } from '../support/http.ts';
import { expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/* The same claim twice: of the same site, tax, year, commune and notice. */

const service = await forSuite(startService());
const own = await service.furnishedTenant('Own');
const token = await service.token('ACCOUNT_MANAGER', [own.clients]);
const admin = await service.token('ADMIN');

let notices = 0;
/** A claim with a notice of its own. */
const newClaim = () => ({
  ...{ client_id: own.clients, site_id: own.sites, claim_type: 'TF', amount: 1 },
  ...{ tax_year: 2025, commune_code: '69290', notice_reference: `25 69 ${(notices += 1)} AB` },
});

const create = (body: object): Promise<Answer> => service.ask('POST /api/reclamations', { token, body });
const change = (id: string, body: object): Promise<Answer> =>
  service.ask(`PUT /api/reclamations/${id}`, { token, body });
const importAll = (body: readonly object[]): Promise<Answer> =>
  service.ask('POST /api/reclamations/import', { token, body });

async function createdId(body: object): Promise<string> {
  const answer = await create(body);
  expect(answer.status).toBe(201);
  return (answer.json as { id: string }).id;
}

const expectTaken = (answer: Answer, id: string): void => {
  expectError(answer, 'ERROR_CONFLICT', {
    ...{ notice_reference: expect.stringContaining('is that of another claim'), existing_id: id },
  });
};

async function countOf(notice: string): Promise<number> {
  return (await service.sql`select from public.reclamations where notice_reference = ${notice}`).length;
}

test('no caller creates the same claim twice, also with other blanks and letters in the notice, and the 409 names the first', async () => {
  const claim = newClaim();
  const first = await createdId(claim);
  expectTaken(await create(claim), first);
  expectTaken(
    await create({ ...claim, notice_reference: ` ${claim.notice_reference.replace(' ', '').toLowerCase()}` }),
    first,
  );
  expect(await countOf(claim.notice_reference)).toBe(1);
});

const other = await service.furnishedTenant('Other');

test.each([
  { claim_type: 'CFE' },
  { tax_year: 2024 },
  { tax_year: null },
  { commune_code: '69291' },
  { commune_code: null },
  { notice_reference: '25 69 another' },
  { notice_reference: null },
  { notice_reference: ' ' },
  { client_id: other.clients, site_id: other.sites },
])('a claim that differs from another one in %j is another claim', async (difference) => {
  const claim = newClaim();
  await createdId(claim);
  const again = (): Promise<Answer> =>
    service.ask('POST /api/reclamations', { token: admin, body: { ...claim, ...difference } });
  expect((await again()).status).toBe(201);
  const isNull = Object.values(difference).some((value) => value === null || value === ' ');
  expect((await again()).status).toBe(isNull ? 201 : 409);
});

test.each([
  ['creations', (body: object) => create(body)],
  ['imports', (body: object) => importAll([newClaim(), body])],
])('of two simultaneous %s of the same claim one succeeds and one gets 409', async (_what, send) => {
  const claim = newClaim();
  const answers = await collide(service, { table: 'sites', id: own.sites }, [() => send(claim), () => send(claim)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  expect(await countOf(claim.notice_reference)).toBe(1);
});

test('of two simultaneous changes of two claims to the same notice one succeeds and one gets 409', async () => {
  const ids = [await createdId(newClaim()), await createdId(newClaim())];
  const { notice_reference } = newClaim();
  const send = ids.map((id) => () => change(id, { notice_reference }));
  const answers = await collide(service, { table: 'sites', id: own.sites }, send);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(await countOf(notice_reference)).toBe(1);
});

test('a change that makes a claim the same as another gets 409, and a change of another field or back to its own notice succeeds', async () => {
  const claim = newClaim();
  const first = await createdId(claim);
  const second = await createdId({ ...claim, tax_year: 2024 });
  expectTaken(await change(second, { tax_year: 2025 }), first);
  expectTaken(await change(second, { tax_year: 2025, amount: 7 }), first);
  expect((await change(second, { amount: 7 })).json).toMatchObject({ amount: 7, tax_year: 2024 });
  expect((await change(first, { ...claim, client_id: undefined, amount: 8 })).json).toMatchObject({ amount: 8 });
});

test('an import names each line that repeats a claim of the site or an earlier line, and imports none', async () => {
  const [stored, twice] = [newClaim(), newClaim()];
  const first = await createdId(stored);
  const fresh = newClaim();
  const answer = await importAll([fresh, stored, newClaim()]);
  expectError(answer, 'ERROR_CONFLICT', {
    ...{ '1.notice_reference': expect.stringContaining('is that of another claim'), existing_id: first },
  });
  const repeated = await importAll([
    fresh,
    twice,
    newClaim(),
    { ...twice, notice_reference: `${twice.notice_reference} ` },
  ]);
  expectError(repeated, 'ERROR_CONFLICT', {
    '3.notice_reference': expect.stringContaining('an earlier claim in the list'),
  });
  const head = Object.keys(twice).join();
  const sheet = [head, Object.values(twice).join(), Object.values(twice).join(), ''].join('\n');
  const csv = await service.ask('POST /api/reclamations/import', {
    token,
    body: sheet,
    headers: { 'content-type': 'text/csv' },
  });
  expectError(csv, 'ERROR_CONFLICT', {
    'line 3, notice_reference': expect.stringContaining('an earlier claim in the list'),
  });
  expect(await countOf(fresh.notice_reference)).toBe(0);
  expect((await importAll([fresh, twice])).status).toBe(201);
});

test('two claims may exchange their notices in one bulk change, but a bulk change cannot make two claims the same', async () => {
  const [one, two] = [newClaim(), newClaim()];
  const [first, second] = [await createdId(one), await createdId(two)];
  const changeAll = (notice: string): Promise<Answer> =>
    service.ask('POST /api/reclamations/changes', {
      token,
      body: {
        changes: [
          { id: first, notice_reference: two.notice_reference },
          { id: second, notice_reference: notice },
        ],
      },
    });
  expect((await changeAll(one.notice_reference)).status).toBe(200);
  const answer = await changeAll(two.notice_reference);
  expectError(answer, 'ERROR_CONFLICT', { '1.notice_reference': expect.any(String), existing_id: first });
  expect(await countOf(one.notice_reference)).toBe(1);
});

test('a withdrawn claim may be made again, and cannot come back to life beside the new one', async () => {
  const claim = newClaim();
  const first = await createdId(claim);
  expect((await change(first, { status: 'WITHDRAWN' })).status).toBe(200);
  const second = await createdId(claim);
  await expect(
    service.admin(
      `begin; alter table public.reclamations disable trigger reclamations_apply_move;
       update public.reclamations set status = 'DRAFT' where id = '${first}'; commit`,
    ),
  ).rejects.toThrow('is already of the same notice');
  expectTaken(await create(claim), second);
});

test('claims of the same notice that were stored before the rule accept changes that keep the notice', async () => {
  const claim = newClaim();
  const first = await createdId(claim);
  const second = await createdId(newClaim());
  await service.admin(
    `begin; set local session_replication_role = replica;
     update public.reclamations set notice_reference = '${claim.notice_reference}' where id = '${second}'; commit`,
  );
  const whole = (await service.ask(`GET /api/reclamations/${second}`, { token })).json as object;
  expect((await change(second, { ...whole, amount: 9 })).json).toMatchObject({ amount: 9 });
  expect((await change(second, { status: 'READY_FOR_REVIEW' })).status).toBe(200);
  const found = async (): Promise<unknown> =>
    service.admin(`select detail from audit.findings where object = 'public.reclamations.notice_reference'`);
  expect(await found()).toEqual([
    { detail: 'claims of the same site, type, year, commune and notice as another claim: 2' },
  ]);
  expectTaken(await change(second, { notice_reference: claim.notice_reference.toLowerCase() }), first);
  expect((await change(second, { notice_reference: '25 69 mended' })).status).toBe(200);
  expect(await found()).toEqual([]);
});
