import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { collide } from '../support/held-row.ts';
import type { Answer, Question } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const own = (await service.tenant('Own')).clients;
const second = (await service.tenant('Second')).clients;
const foreign = (await service.tenant('Foreign')).clients;
const manager = await service.token('ACCOUNT_MANAGER', [own, second]);
const foreignManager = await service.token('ACCOUNT_MANAGER', [foreign]);
const unlimitedAdmin = await service.token('ADMIN');

interface Partner {
  readonly id: string;
  readonly client_ids: readonly string[];
}

function create(body: object, token = manager): Promise<Answer> {
  return service.ask('POST /api/partners', { token, body: { name: 'Apporteur', ...body } });
}

async function createdId(clients: readonly string[], token = unlimitedAdmin, more: object = {}): Promise<string> {
  const answer = await create({ client_ids: clients, ...more }, token);
  expect(answer.status).toBe(201);
  return (answer.json as Partner).id;
}

function put(id: string, body: object, question: Question = { token: manager }): Promise<Answer> {
  return service.ask(`PUT /api/partners/${id}`, { ...question, body });
}

async function links(id: string): Promise<unknown[]> {
  const rows = await service.sql`select client_id from public.client_partners where partner_id = ${id}`;
  return rows.map((row) => row['client_id']).toSorted();
}

async function listed(query: string, token = manager): Promise<string[]> {
  const answer = await service.ask(`GET /api/partners?${query}`, { token });
  expect(answer.status).toBe(200);
  return (answer.json as Partner[]).map(({ id }) => id);
}

test('a caller must create a partner with at least one client, except for an ADMIN of all clients', async () => {
  const limitedAdmin = await service.token('ADMIN', [own]);
  for (const token of [manager, limitedAdmin]) {
    for (const body of [{}, { client_ids: [] }]) {
      expectError(await create(body, token), 'ERROR_VALIDATION', { client_ids: expect.any(String) });
    }
  }
  expect((await create({}, unlimitedAdmin)).json).toMatchObject({ client_ids: [] });
});

test('the creation of a partner with an unknown client gets 404', async () => {
  const answer = await create({ name: 'Never', client_ids: [own, randomUUID()] }, unlimitedAdmin);
  expectError(answer, 'ERROR_NOT_FOUND', { client_ids: expect.any(String) });
  expect(await service.admin(`select from public.partners where name = 'Never'`)).toEqual([]);
});

test.each(['73282932000074', '35600000000048', '35600000049837', null])(
  'a partner can have the SIRET number %s, even one of La Poste, whose numbers have their own checksum',
  async (siret) => {
    expect((await create({ client_ids: [own], siret })).json).toMatchObject({ siret });
  },
);

test('no caller gives a partner the SIRET of nine zeros, the database refuses it too, and a partner stored with it accepts changes of other fields', async () => {
  const zeros = '00000000000000';
  const problem = { siret: expect.stringContaining('no SIREN is nine zeros') };
  expectError(await create({ client_ids: [own], siret: zeros }), 'ERROR_VALIDATION', problem);
  await expect(service.admin(`insert into public.partners (name, siret) values ('Never', '${zeros}')`)).rejects.toThrow(
    'belongs to no business',
  );
  const id = await createdId([own]);
  await expect(service.admin(`update public.partners set siret = '${zeros}' where id = '${id}'`)).rejects.toThrow(
    'belongs to no business',
  );
  await service.admin(
    `set session_replication_role = replica; update public.partners set siret = '${zeros}' where id = '${id}'`,
  );
  await service.admin('reset session_replication_role');
  expect((await put(id, { phone: '04 78 00 00 00' })).json).toMatchObject({ siret: zeros, phone: '04 78 00 00 00' });
  expect((await put(id, { siret: '73282932000074' })).json).toMatchObject({ siret: '73282932000074' });
});

test('a request that links a partner to another tenant’s client gets 403 before any query, audited with that client', async () => {
  const id = await createdId([own]);
  const before = service.runs;
  for (const line of ['POST /api/partners', `PUT /api/partners/${id}`]) {
    const body = { name: 'Apporteur', client_ids: [own, foreign] };
    const answer = await service.ask(line, { token: manager, body });
    await expectRefusal(service, answer, 'ERROR_FORBIDDEN', { resource_type: 'partners', client_context: foreign });
  }
  expect(service.runs).toBe(before);
  expect(await links(id)).toEqual([own]);
});

test('a manager’s change of a partner’s clients replaces only those that are the manager’s clients too', async () => {
  const id = await createdId([own, foreign]);
  const answer = await put(id, { client_ids: [second] });
  expect(answer.json).toMatchObject({ name: 'Apporteur', client_ids: [second] });
  expect(await links(id)).toEqual([second, foreign].toSorted());
  const seen = await service.ask(`GET /api/partners/${id}`, { token: foreignManager });
  expect(seen.json).toMatchObject({ client_ids: [foreign] });
});

test('a partner has a new updated_at after a change of its clients, and the same one if it is sent the same clients', async () => {
  const id = await createdId([own]);
  const changedAt = async (body: object): Promise<unknown> =>
    ((await put(id, body)).json as { updated_at?: unknown }).updated_at;
  const first = await changedAt({ client_ids: [own] });
  const added = await changedAt({ client_ids: [own, second] });
  const removed = await changedAt({ client_ids: [second] });
  expect([first, added, removed].toSorted()).toEqual([first, added, removed]);
  expect(new Set([first, added, removed]).size).toBe(3);
  expect(await changedAt({ client_ids: [second] })).toBe(removed);
});

test('a change of a partner without the field client_ids keeps the partner’s clients', async () => {
  const id = await createdId([own, foreign]);
  expect((await put(id, { phone: '1' })).json).toMatchObject({ phone: '1', client_ids: [own] });
  expect(await links(id)).toEqual([own, foreign].toSorted());
});

test('an account manager cannot unlink the last client from a partner, because the manager could then no longer see the partner', async () => {
  const id = await createdId([own]);
  expectError(await put(id, { client_ids: [] }), 'ERROR_VALIDATION');
  expect(await links(id)).toEqual([own]);
  expect((await put(id, { client_ids: [] }, { token: unlimitedAdmin })).json).toMatchObject({ client_ids: [] });
});

test('after simultaneous changes of a partner’s clients, the partner has the clients of the last change, and not a mixture', async () => {
  const id = await createdId([own, second]);
  const send = [own, second, own].map((client) => () => put(id, { client_ids: [client] }));
  const answers = await collide(service, { table: 'partners', id }, send);
  const versions = answers.map(({ json }) => json as Partner & { updated_at: string });
  const last = versions.toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1)).at(-1);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(last?.client_ids).toHaveLength(1);
  expect(await links(id)).toEqual(last?.client_ids);
});

test('an account manager cannot take over a partner of other tenants by linking an own client to that partner', async () => {
  const id = await createdId([foreign]);
  const refusal = { resource_type: 'partners', resource_id: id };
  await expectRefusal(service, await put(id, { client_ids: [own] }), 'ERROR_FORBIDDEN', refusal);
  expect(await listed('')).not.toContain(id);
  expect(await links(id)).toEqual([foreign]);
});

test('when a client is deleted, its partner’s ETag changes only for callers who could see that client', async () => {
  const gone = (await service.tenant('Gone')).clients;
  const id = await createdId([own, gone]);
  const seer = await service.token('ACCOUNT_MANAGER', [own, gone]);
  const tagOf = async (token: string) => String((await service.ask(`GET /api/partners/${id}`, { token })).headers.etag);
  const [before, ofManager] = [await tagOf(seer), await tagOf(manager)];
  await service.admin('delete from public.clients where id = $1', [gone]);
  const headers = { 'if-none-match': before };
  expect((await service.ask(`GET /api/partners/${id}`, { token: seer, headers })).status).toBe(200);
  const stale = await put(id, { phone: '1' }, { token: seer, headers: { 'if-match': before } });
  expectError(stale, 'ERROR_PRECONDITION_FAILED');
  expect(await tagOf(manager)).toBe(ofManager);
});

test('an ADMIN of one client cannot delete a partner who also works for another tenant: 409', async () => {
  const id = await createdId([own, foreign]);
  const token = await service.token('ADMIN', [own]);
  expectError(await service.ask(`DELETE /api/partners/${id}`, { token }), 'ERROR_CONFLICT');
  expect(await links(id)).toEqual([own, foreign].toSorted());
});

test('the list of partners has each partner of the caller’s clients once, with only those clients that the caller sees', async () => {
  const both = await createdId([own, second], unlimitedAdmin, { name: 'Liste 50 % et plus' });
  const theirs = await createdId([foreign], unlimitedAdmin, { name: 'Liste des autres', siret: '73282932000074' });
  expect(await listed('q=Liste')).toEqual([both]);
  expect(await listed('q=50%20%25')).toEqual([both]);
  const answer = await service.ask(`GET /api/partners?q=Liste&client_id=${own}`, { token: manager });
  expect(answer.json).toMatchObject([{ id: both, client_ids: [own, second].toSorted() }]);
  expect(await listed('q=Liste&sort=name', unlimitedAdmin)).toEqual([both, theirs]);
  expect(await listed(`client_id=${foreign}&siret=73282932000074`, unlimitedAdmin)).toEqual([theirs]);
  expect(await listed('q=Liste', foreignManager)).toEqual([theirs]);
  expect(await listed('q=Liste', await service.token('ACCOUNT_MANAGER'))).toEqual([]);
});

test('the list of clients filtered by two partners has the clients of both', async () => {
  const [one, two] = [await createdId([own]), await createdId([own, second])];
  const clientsOf = async (partners: string): Promise<string[]> => {
    const { json } = await service.ask(`GET /api/clients?partner_id=${partners}`, { token: unlimitedAdmin });
    return (json as Partner[]).map(({ id }) => id).toSorted();
  };
  expect(await clientsOf(one)).toEqual([own]);
  for (const both of [`${one},${two}`, `${two},${one}`])
    expect(await clientsOf(both)).toEqual([own, second].toSorted());
});
