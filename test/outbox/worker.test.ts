import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createIdentityChangeQueue } from '../../src/db/identity-changes.ts';
import { openManagementClient } from '../../src/identity/management/client.ts';
import type { Role } from '../../src/identity/caller.ts';
import { deliverIdentityChanges } from '../../src/outbox/worker.ts';
import type { DeliveryWorker, DeliveryOptions } from '../../src/outbox/worker.ts';
import { connected } from '../support/database.ts';
import { broken, quiet, sendError, startManagement } from '../support/management.ts';
import type { Fault } from '../support/management.ts';
import { waiting } from '../support/held-row.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { make } from '../support/rows.ts';
import { until } from '../support/upload.ts';

/*
 * These tests check that the delivery of users’ rights to the identity provider succeeds after every failure, and that
 * no older token undoes a change of rights.
 */

const workers: DeliveryWorker[] = [];
let said: Record<string, unknown>[] = [];
const log = pino({}, { write: (line) => void said.push(JSON.parse(line) as Record<string, unknown>) });

const service = await forSuite(startService());
const provider = await forSuite(startManagement());
const changes = createIdentityChangeQueue(service.database);
await changes.begin();
await make(service, 'users', { role: 'ADMIN', subject: 'idp|first' });
const [own, other] = [(await service.tenant('Own')).clients, (await service.tenant('Other')).clients];

beforeEach(async () => {
  said = [];
  provider.users.clear();
  provider.asked.length = 0;
  provider.fault = quiet;
  provider.answering = () => Promise.resolve();
  await service.admin('delete from public.identity_changes');
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close(5_000)));
});

/**
 * The time limit of a delivery of rights in milliseconds. Until then the service retries an identity provider that
 * breaks connections.
 */
const IMPATIENT = { deliveryMs: 1_000 };

function workerOf(options: Partial<DeliveryOptions> = {}): DeliveryWorker {
  const management = openManagementClient(
    { url: provider.url, token: 'management-token' },
    { answerMs: 10_000, retryMs: 1 },
  );
  const worker = deliverIdentityChanges({ changes, management, log, ...options });
  workers.push(worker);
  return worker;
}

interface KnownPerson {
  readonly id: string;
  readonly subject: string;
  token(clients: readonly string[], claims?: object): Promise<string>;
}

/** Stores a user in the database, and a user with the same subject and rights at the test’s identity provider. */
async function person(role: Role, clients: readonly string[]): Promise<KnownPerson> {
  const id = randomUUID();
  const [subject, email] = [`auth0|${id}`, `${id}@b.example`];
  const rights = { role, client_access: clients, access_changed_at: '-infinity' };
  await make(service, 'users', { id, email, subject, ...rights });
  provider.know(subject, role, clients);
  return {
    ...{ id, subject },
    token: (listed, claims) => service.token(role, listed, { sub: subject, email, ...claims }),
  };
}

const known = ({ subject }: KnownPerson) => provider.users.get(subject)?.app_metadata;
const change = async (id: string, body: object) => {
  const token = await service.token('ADMIN');
  const answer = await service.ask(`PUT /api/users/${id}`, { token, body });
  expect(answer.status).toBe(200);
  return answer;
};
const rows = (person?: KnownPerson) =>
  service.sql`select * from public.identity_changes
    where user_id = coalesce(${person?.id ?? null}, user_id) order by created_at, id`;
const states = async (person?: KnownPerson) => (await rows(person)).map(({ state }) => state);
const dated = async ({ id }: KnownPerson) =>
  (await service.admin('select access_changed_at::text as at from public.users where id = $1', [id]))[0]?.['at'];
const me = async (token: string) => (await service.ask('GET /api/users/me', { token })).status;
/** The claims of a token that the identity provider issues 20 seconds from now. */
const later = { iat: Math.floor(Date.now() / 1_000) + 20 };
const due = () => service.admin('update public.identity_changes set next_attempt_at = now()');
const patches = () => provider.asked.filter(({ method }) => method === 'PATCH');

/**
 * Creates a gate for a test: callers of its function `wait` wait until the test calls `open`, and `reached` resolves at
 * the first call of `wait`.
 */
function gate(): { wait: () => Promise<void>; open: () => void; reached: Promise<void> } {
  const opened = Promise.withResolvers<undefined>();
  const came = Promise.withResolvers<undefined>();
  return {
    reached: came.promise,
    open: () => {
      opened.resolve(undefined);
    },
    wait: () => {
      came.resolve(undefined);
      return opened.promise;
    },
  };
}

test('the service queues a change of a user’s rights with its author, and delivers the change to the identity provider', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  const { headers } = await change(ada.id, { client_access: [own], is_active: false });
  const [row] = await rows(ada);
  expect(row).toMatchObject({
    ...{ state: 'WAITING', role: 'ACCOUNT_MANAGER', client_access: [own], is_active: false },
    ...{ actor: 'idp|ADMIN', request_id: headers['x-request-id'], ends_tokens: true, attempts: 0 },
  });
  await workerOf().deliverNow();
  expect(known(ada)).toEqual({ role: 'ACCOUNT_MANAGER', client_access: [own] });
  expect(provider.users.get(ada.subject)?.blocked).toBe(true);
  expect(await rows(ada)).toMatchObject([{ state: 'DELIVERED', attempts: 1, claim: null, last_error: null }]);
});

test('if a DBA changes a user’s rights in the database, the service queues the change with the DBA’s login as author', async () => {
  const ada = await person('TAX_SPECIALIST', [own]);
  await service.admin(`update public.users set role = 'CLIENT' where id = $1`, [ada.id]);
  expect(await rows(ada)).toMatchObject([{ role: 'CLIENT', actor: 'postgres', request_id: null }]);
});

test.each<{ change: string; act: (ada: KnownPerson) => Promise<unknown> }>([
  { change: 'a change of a user’s name', act: (ada) => change(ada.id, { name: 'Ada' }) },
  {
    change: 'a change of rights that is rolled back',
    act: ({ id }) =>
      service.admin(
        `do $$ begin
           update public.users set role = 'CLIENT' where id = '${id}'; set constraints all immediate;
           raise exception 'back' using errcode = 'P0042';
         exception when sqlstate 'P0042' then null; end $$`,
      ),
  },
  {
    change: 'a change of rights of a user without a subject at the provider',
    act: async () => change(await make(service, 'users', { role: 'CLIENT' }), { client_access: [own] }),
  },
  {
    change: 'a change of rights that comes from the token of a login',
    act: async (ada) => {
      const token = await ada.token([own, other]);
      expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(200);
    },
  },
])('the service does not queue $change for the identity provider', async ({ act }) => {
  await act(await person('TAX_SPECIALIST', [own]));
  expect(await rows()).toEqual([]);
});

const erase = async (id: string): Promise<void> => {
  const token = await service.token('ADMIN');
  expect((await service.ask(`POST /api/users/${id}/erasure`, { token })).status).toBe(204);
};

test('the erasure of a user deletes the user at the identity provider instead of sending rights, and then removes the subject', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  await change(ada.id, { client_access: [own] });
  await erase(ada.id);
  expect(await rows(ada)).toMatchObject([
    { state: 'WAITING', erased_subject: null },
    { state: 'WAITING', erased_subject: ada.subject, is_active: false, client_access: [] },
  ]);
  await workerOf().deliverNow();
  expect(provider.users.has(ada.subject)).toBe(false);
  expect(provider.asked.map(({ method }) => method)).toEqual(['DELETE']);
  expect(await rows(ada)).toMatchObject([{ state: 'DELIVERED' }, { state: 'DELIVERED', erased_subject: null }]);
  await changes.resend(ada.id);
  await workerOf().deliverNow();
  expect(provider.asked).toHaveLength(1);
});

test('the erasure of a user whom the identity provider does not know counts as delivered', async () => {
  const ada = await person('CLIENT', [own]);
  provider.users.delete(ada.subject);
  await erase(ada.id);
  await workerOf().deliverNow();
  expect(await states(ada)).toEqual(['DELIVERED']);
});

test('the service blocks an erased user at an identity provider that refuses deletions, and delivers other users’ changes', async () => {
  const [ada, bob] = [await person('CLIENT', [own]), await person('CLIENT', [own])];
  provider.fault = (_request, response, { method }) =>
    method === 'DELETE' && sendError(response, 403, 'insufficient_scope', 'delete:users');
  await erase(ada.id);
  await change(bob.id, { client_access: [other] });
  const worker = workerOf();
  await worker.deliverNow();
  expect([await states(ada), await states(bob)]).toEqual([['FAILING'], ['DELIVERED']]);
  expect(provider.users.get(ada.subject)).toMatchObject({
    blocked: true,
    app_metadata: { client_access: [] },
  });
  provider.users.delete(ada.subject);
  await service.admin('update public.identity_changes set next_attempt_at = now()');
  await worker.deliverNow();
  expect(await states(ada)).toEqual(['DELIVERED']);
});

test('a change of rights that the service was just sending does not recreate an erased user at the identity provider', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  await change(ada.id, { client_access: [own] });
  const [claimed] = await changes.claim(1, 60_000);
  if (claimed === undefined) throw new Error('nothing was claimed');
  await erase(ada.id);
  await workerOf().deliverNow();
  expect(provider.users.has(ada.subject)).toBe(false);
  expect(await changes.recordOutcome(claimed)).toBe(false);
  expect(await states(ada)).toEqual(['DELIVERED', 'DELIVERED']);
});

test('the service refuses a token with a user’s old rights while the change of rights is undelivered, even a newer token', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  await change(ada.id, { client_access: [own] });
  expect(await dated(ada)).toBe('infinity');
  const [old, present] = [await ada.token([own, other], later), await ada.token([own])];
  expect((await service.ask('POST /api/auth/login', { body: { token: old } })).status).toBe(401);
  expect([await me(old), await me(present)]).toEqual([401, 200]);
  expect(await rows(ada)).toHaveLength(1);
});

test('once a change of rights is delivered, the service refuses older tokens, and newer tokens give the rights that they name', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  const old = await ada.token([own, other]);
  await change(ada.id, { client_access: [own] });
  await workerOf().deliverNow();
  expect(await dated(ada)).not.toBe('infinity');
  expect([await me(old), await me(await ada.token([own, other], later))]).toEqual([401, 200]);
});

test('the instance that delivers a user’s change of rights also delivers the user’s next change, in order', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  await change(ada.id, { client_access: [own] });
  const held = gate();
  provider.answering = ({ method }) => (method === 'PATCH' ? held.wait() : Promise.resolve());
  const swept = workerOf().deliverNow();
  await held.reached;
  await change(ada.id, { role: 'CLIENT' });
  await workerOf().deliverNow();
  expect(patches()).toHaveLength(1);
  const during: unknown[] = [];
  provider.answering = async ({ method }) => {
    if (method === 'PATCH') during.push(await dated(ada));
  };
  held.open();
  await swept;
  expect(await states(ada)).toEqual(['DELIVERED', 'DELIVERED']);
  expect(patches()).toHaveLength(2);
  // The service has delivered the user’s first change of rights, and is just sending the second one to the identity
  // provider.
  expect(during).toEqual(['infinity']);
  expect(known(ada)).toMatchObject({ role: 'CLIENT', client_access: [own] });
  expect(await dated(ada)).not.toBe('infinity');
});

const create = (token: string) =>
  service.ask('POST /api/clients', { token, body: { company_name: 'Neuve', contact_email: 'n@b.example' } });
const deliverDue = async () => {
  await due();
  await workerOf().deliverNow();
};

test('the creator of a client can still use the present token, and the identity provider gets the new client', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own]);
  const token = await ada.token([own]);
  const { json, status } = await create(token);
  expect(status).toBe(201);
  const { id } = json as { id: string };
  expect(await rows(ada)).toMatchObject([{ ends_tokens: false, client_access: [own, id] }]);
  expect(await me(token)).toBe(200);
  await workerOf().deliverNow();
  expect(known(ada)).toMatchObject({ client_access: [own, id] });
  expect(await me(token)).toBe(200);
});

test.each(['while the created client is delivered', 'before the created client is delivered'])(
  'the service delivers the client that a user created, and keeps a client that the identity provider adds %s',
  async (when) => {
    const ada = await person('ACCOUNT_MANAGER', [own]);
    const { id } = (await create(await ada.token([own]))).json as { id: string };
    const [claimed] = await changes.claim(1, 60_000);
    if (claimed?.rights === undefined) throw new Error('nothing was claimed');
    const { rights } = claimed;
    const tell = async (): Promise<void> => {
      const management = openManagementClient({ url: provider.url, token: 'management-token' });
      const signal = AbortSignal.timeout(5_000);
      await management.send(claimed.subject, rights, { deadline: performance.now() + 5_000, signal });
      expect(await changes.recordOutcome(claimed)).toBe(true);
    };
    const isLate = when.startsWith('before');
    if (isLate) await tell();
    const iat = Math.floor(Date.now() / 1_000) - 60;
    const token = await ada.token([own, id, other], { iat });
    expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(200);
    if (!isLate) await tell();
    expect(known(ada)).toMatchObject({ client_access: [own, id] });
    await workerOf().deliverNow();
    expect(known(ada)).toMatchObject({ client_access: expect.arrayContaining([own, id, other]) });
    expect(await states(ada)).toEqual(['DELIVERED', 'DELIVERED']);
  },
);

test('if a user creates a client before the first login, the identity provider gets the client after that login', async () => {
  const id = randomUUID();
  const subject = `auth0|${id}`;
  provider.know(subject, 'ACCOUNT_MANAGER', [own]);
  const claims = { sub: subject, email: `${id}@b.example` };
  const token = await service.token('ACCOUNT_MANAGER', [own], claims);
  const { json } = await create(token);
  expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(200);
  await workerOf().deliverNow();
  expect(provider.users.get(subject)?.app_metadata).toMatchObject({
    client_access: [own, (json as { id: string }).id],
  });
});

test('a user who creates clients while another change of the user’s rights is undelivered can still use the present token', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  const old = await ada.token([own, other]);
  const token = await ada.token([own]);
  await change(ada.id, { client_access: [own] });
  const made: string[] = [];
  for (let index = 0; index < 2; index += 1) {
    const { json, status } = await create(token);
    expect(status).toBe(201);
    made.push((json as { id: string }).id);
    expect(await me(token)).toBe(200);
  }
  expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(200);
  expect(await me(old)).toBe(401);
  expect(await me(await ada.token([own, other], later))).toBe(401);
  await deliverDue();
  expect(known(ada)).toMatchObject({ client_access: [own, ...made] });
  expect(await me(token)).toBe(200);
  expect(await me(old)).toBe(401);
  // If an ADMIN withdraws a client afterwards, the user’s older token does not give access to the client any more.
  await change(ada.id, { client_access: made });
  expect([await me(token), (await create(token)).status]).toEqual([401, 401]);
  await deliverDue();
  expect(known(ada)).toMatchObject({ client_access: [...made].sort() });
});

test('the service delivers an ADMIN’s change of client access although the client’s creator still has an older token', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  const token = await ada.token([own]);
  await change(ada.id, { client_access: [own] });
  const { json } = await create(token);
  const { id } = json as { id: string };
  await change(ada.id, { client_access: [own] });
  await change(ada.id, { client_access: [own, id] });
  expect(await me(token)).toBe(401);
  expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(401);
  await deliverDue();
  expect(known(ada)).toMatchObject({ client_access: [own, id].sort() });
});

test('the creator of two clients can still use the same token after one of these clients was deleted', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  const token = await ada.token([own]);
  await change(ada.id, { client_access: [own] });
  const [gone, kept] = [await create(token), await create(token)].map(({ json }) => (json as { id: string }).id);
  const removed = await service.ask(`DELETE /api/clients/${String(gone)}`, {
    token: await service.token('ADMIN'),
  });
  expect(removed.status).toBe(204);
  expect((await service.ask('POST /api/auth/login', { body: { token } })).status).toBe(200);
  expect(await me(token)).toBe(200);
  await deliverDue();
  expect(known(ada)?.client_access).toEqual(expect.arrayContaining([own, kept]));
});

test('once a user’s rights are changed, the service refuses a token that names more clients than the stored user', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own]);
  const newer = await ada.token([own, other], later);
  expect((await create(newer)).status).toBe(201);
  // After the second change of rights, the user’s stored rights are the same as when the client was created.
  await change(ada.id, { role: 'CLIENT' });
  await change(ada.id, { role: 'ACCOUNT_MANAGER' });
  expect(await me(newer)).toBe(401);
});

test.each<readonly [string, Fault, RegExp]>([
  ['cannot be reached', broken, /gave no answer/],
  ['fails', (_request, response) => sendError(response, 500, 'internal', 'Oops'), /500: internal, Oops/],
  [
    'refuses the service’s credential',
    (_request, response) => sendError(response, 403, 'scope', 'No'),
    /403: scope, No/,
  ],
])('a change of rights waits while the identity provider %s, and is delivered later', async (_what, fault, reason) => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  await change(ada.id, { client_access: [own] });
  provider.fault = fault;
  await workerOf(IMPATIENT).deliverNow();
  expect(await rows(ada)).toMatchObject([
    { state: 'FAILING', attempts: 1, claim: null, last_error: expect.stringMatching(reason) },
  ]);
  expect(await dated(ada)).toBe('infinity');
  provider.fault = quiet;
  await due();
  await workerOf().deliverNow();
  expect(await states(ada)).toEqual(['DELIVERED']);
  expect(known(ada)).toMatchObject({ client_access: [own] });
  expect(JSON.stringify(said)).not.toMatch(new RegExp(`management-token|${own}|${other}`));
});

test('an instance aborts a slow delivery of rights in time, so that no two instances deliver the same change', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  await change(ada.id, { client_access: [own] });
  const ends: Promise<unknown>[] = [];
  provider.fault = (request, _response, { method }) => {
    if (method !== 'PATCH' || ends.length > 0) return false;
    ends.push(new Promise((resolve) => request.socket.once('close', resolve)));
    return true;
  };
  const slow = workerOf({ leaseMs: 2_000, deliveryMs: 60_000 }).deliverNow();
  const another = workerOf();
  while (ends.length === 0 || (await rows(ada)).some(({ claimed_until: until }) => Number(until) > Date.now()))
    await Promise.race([slow, service.admin('select pg_sleep(0.05)')]);
  // The instance’s reservation of this delivery has expired by now, and the instance has aborted the delivery.
  await due();
  await another.deliverNow();
  expect(await states(ada)).toEqual(['DELIVERED']);
  await Promise.all([slow, ...ends]);
  expect(JSON.stringify(said)).not.toContain('another has delivered');
});

test('if the identity provider refuses or does not know a user, the service sends this user’s rights again only after an hour, and other users’ rights at once', async () => {
  const [ada, bob, eve] = [await person('CLIENT', [own]), await person('CLIENT', [own]), await person('CLIENT', [own])];
  provider.users.delete(ada.subject);
  provider.fault = (_request, response, { path }) =>
    path.includes(bob.id) && sendError(response, 400, 'invalid_body', 'Payload');
  for (const { id } of [ada, bob, eve]) await change(id, { client_access: [] });
  await workerOf().deliverNow();
  expect([await states(ada), await states(bob), await states(eve)]).toEqual([['FAILING'], ['FAILING'], ['DELIVERED']]);
  const waits = await service.admin(
    `select next_attempt_at > now() + interval '59 minutes' as rarely, state from public.identity_changes`,
  );
  expect(waits.filter(({ rarely }) => rarely)).toHaveLength(2);
});

test('with a wrong AUTH_MANAGEMENT_URL all changes of rights wait, and no user counts as unknown to the identity provider', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => person('CLIENT', [own])));
  for (const { id } of people) await change(id, { client_access: [] });
  const management = openManagementClient({
    url: provider.url.replace('/api/v2', ''),
    token: 'management-token',
  });
  await workerOf({ management }).deliverNow();
  const failed = (await rows()).filter(({ state }) => state === 'FAILING');
  expect(failed.length).toBeGreaterThan(0);
  for (const { last_error } of failed)
    expect(last_error).toMatch(/^the provider answered 404: .*; is AUTH_MANAGEMENT_URL right\?$/);
  // All changes of rights are tried again soon. Only the change of a user whom the identity provider does not know
  // would wait an hour.
  const late = `select 1 from public.identity_changes where next_attempt_at > now() + interval '10 minutes'`;
  expect(await service.admin(late)).toEqual([]);
  expect(said.filter(({ level }) => level === 40)).toMatchObject([
    {
      trouble: 'address',
      msg: 'AUTH_MANAGEMENT_URL does not lead to the management interface: changes wait',
    },
  ]);
  await due();
  await workerOf().deliverNow();
  expect(await states()).toEqual(people.map(() => 'DELIVERED'));
  expect(people.map(known)).toMatchObject(people.map(() => ({ client_access: [] })));
});

test('all changes of rights wait after the identity provider has answered 429', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => person('CLIENT', [own])));
  for (const { id } of people) await change(id, { client_access: [] });
  provider.fault = (_request, response) =>
    sendError(response, 429, 'too_many_requests', 'Global limit', { 'retry-after': '60' });
  const worker = workerOf();
  await worker.deliverNow();
  await worker.deliverNow();
  expect(patches().length).toBeLessThanOrEqual(8);
  expect((await states()).filter((state) => state === 'DELIVERED')).toEqual([]);
  expect(await rows()).toHaveLength(12);
  provider.fault = quiet;
  await due();
  await workerOf().deliverNow();
  expect(new Set(await states())).toEqual(new Set(['DELIVERED']));
});

test('the service stops sending changes of rights to an unreachable identity provider after a few failures', async () => {
  const people = await Promise.all(Array.from({ length: 30 }, () => person('CLIENT', [own])));
  for (const { id } of people) await change(id, { client_access: [] });
  provider.fault = broken;
  await workerOf(IMPATIENT).deliverNow();
  expect(patches().length).toBeLessThanOrEqual(8 * 3);
  expect(said.filter(({ level }) => level === 40)).toMatchObject([{ trouble: 'away' }]);
});

test('an identity provider that is slow for one user does not delay the delivery of other users’ rights', async () => {
  const [slow, fast] = [await person('CLIENT', [own]), await person('CLIENT', [own])];
  const held = gate();
  provider.answering = ({ path }) => (path.includes(slow.id) ? held.wait() : Promise.resolve());
  await change(slow.id, { client_access: [] });
  const worker = workerOf({ idleMs: 5 });
  await held.reached;
  await change(fast.id, { client_access: [] });
  await until(async () => (await states(fast))[0] === 'DELIVERED');
  held.open();
  await worker.close();
  expect(await states(slow)).toEqual(['DELIVERED']);
});

test('four instances together deliver each of 40 changes of rights to the identity provider once', async () => {
  const people = await Promise.all(Array.from({ length: 40 }, () => person('CLIENT', [own])));
  await service.sql`update public.users set client_access = '{}'
    where id = any (${people.map(({ id }) => id)})`;
  const all = Array.from({ length: 4 }, () => workerOf());
  await Promise.all(all.map((worker) => worker.deliverNow()));
  await Promise.all(all.map((worker) => worker.deliverNow()));
  expect(new Set(await states())).toEqual(new Set(['DELIVERED']));
  const patchedPaths = patches().map(({ path }) => path);
  expect(patchedPaths).toHaveLength(40);
  expect(new Set(patchedPaths).size).toBe(40);
});

test('an instance that waits for a lock does not deliver a user’s rights if another instance has meanwhile reserved that delivery', async () => {
  const [ada, bob] = [await person('CLIENT', [own]), await person('CLIENT', [own])];
  for (const { id } of [ada, bob]) await change(id, { client_access: [] });
  await service.sql`update public.identity_changes set next_attempt_at = now() - interval '1 hour'
    where user_id = ${ada.id}`;
  const holder = await connected(service.postgres.adminUrl);
  await holder.query('begin');
  await holder.query('select from public.identity_changes where user_id = $1 for update', [ada.id]);
  // One instance is reserving deliveries (`late`). It has read the rows of both users, and waits for the lock of the
  // first row.
  const late = changes.claim(2, 60_000);
  while ((await waiting(service)) < 1);
  expect(await changes.claim(2, 60_000)).toMatchObject([{ userId: bob.id }]);
  await holder.query('rollback');
  await holder.end();
  expect(await late).toMatchObject([{ userId: ada.id }]);
});

test('an instance has given a change of rights back only once Postgres has stored it', async () => {
  const ada = await person('CLIENT', [own]);
  await change(ada.id, { client_access: [] });
  const claimed = await changes.claim(1, 60_000);
  const holder = await connected(service.postgres.adminUrl);
  await holder.query('begin');
  await holder.query('select from public.identity_changes where user_id = $1 for update', [ada.id]);
  let isReleased = false;
  const released = changes.release(claimed, 0).then(() => (isReleased = true));
  while ((await waiting(service)) < 1);
  const wasReleased = isReleased;
  await holder.query('rollback');
  await holder.end();
  await released;
  expect(wasReleased).toBe(false);
  expect(await rows(ada)).toMatchObject([{ state: 'WAITING', claim: null }]);
});

test('the service sends a user’s newest rights to the identity provider again after a frozen instance has sent older rights', async () => {
  const ada = await person('ACCOUNT_MANAGER', [own, other]);
  await change(ada.id, { client_access: [own] });
  const [frozen] = await changes.claim(1, 60_000);
  if (frozen?.rights === undefined) throw new Error('nothing was claimed');
  await service.admin(`update public.identity_changes set claimed_until = now() - interval '1 second'`);
  await change(ada.id, { client_access: [other] });
  await workerOf().deliverNow();
  expect(known(ada)).toMatchObject({ client_access: [other] });
  // The frozen instance continues, and its message is the last to reach the identity provider. By then another instance
  // has reserved the delivery.
  const late = openManagementClient({ url: provider.url, token: 'management-token' });
  const signal = AbortSignal.timeout(5_000);
  await late.send(frozen.subject, frozen.rights, { deadline: performance.now() + 5_000, signal });
  expect(known(ada)).toMatchObject({ client_access: [own] });
  expect(await changes.recordOutcome(frozen)).toBe(false);
  expect(await dated(ada)).toBe('infinity');
  await workerOf().deliverNow();
  expect(known(ada)).toMatchObject({ client_access: [other] });
  expect(await states(ada)).toEqual(['DELIVERED', 'DELIVERED']);
  expect(await dated(ada)).not.toBe('infinity');
});

test('a user whose database row is locked does not delay the delivery of other users’ rights to the identity provider', async () => {
  const [ada, bob] = [await person('CLIENT', [own]), await person('CLIENT', [own])];
  for (const { id } of [ada, bob]) await change(id, { client_access: [] });
  const holder = await connected(service.postgres.adminUrl);
  await holder.query('begin');
  await holder.query('select from public.users where id = $1 for update', [ada.id]);
  await workerOf().deliverNow();
  expect([await states(ada), await states(bob)]).toEqual([['WAITING'], ['DELIVERED']]);
  await holder.query('rollback');
  await holder.end();
  await workerOf().deliverNow();
  expect(await states(ada)).toEqual(['DELIVERED']);
});

test('an instance that is told to end while it claims changes of rights delivers and records these before it ends', async () => {
  const ada = await person('CLIENT', [own]);
  await change(ada.id, { role: 'TAX_SPECIALIST' });
  const isClaimed = Promise.withResolvers<undefined>();
  const mayGoOn = Promise.withResolvers<undefined>();
  const claim: typeof changes.claim = async (...given) => {
    const claimed = await changes.claim(...given);
    isClaimed.resolve(undefined);
    await mayGoOn.promise;
    return claimed;
  };
  const held = gate();
  provider.answering = ({ method }) => (method === 'PATCH' ? held.wait() : Promise.resolve());
  const worker = workerOf({ changes: { ...changes, claim }, idleMs: 60_000 });
  await isClaimed.promise;
  let hasEnded = false;
  const closed = worker.close(5_000).then(() => (hasEnded = true));
  mayGoOn.resolve(undefined);
  await held.reached;
  expect(hasEnded).toBe(false);
  held.open();
  await closed;
  expect([await states(ada), known(ada)]).toEqual([['DELIVERED'], expect.objectContaining({ role: 'TAX_SPECIALIST' })]);
});

test('if an instance ends before it has delivered a change of rights, another instance delivers the change', async () => {
  const ada = await person('CLIENT', [own]);
  await change(ada.id, { client_access: [] });
  const held = gate();
  provider.answering = ({ method }) => (method === 'PATCH' ? held.wait() : Promise.resolve());
  const worker = workerOf();
  const swept = worker.deliverNow();
  await held.reached;
  await worker.close(0);
  await swept;
  expect(await rows(ada)).toMatchObject([{ state: 'FAILING', claim: null }]);
  held.open();
  provider.answering = () => Promise.resolve();
  await due();
  await workerOf().deliverNow();
  expect(await states(ada)).toEqual(['DELIVERED']);
});
