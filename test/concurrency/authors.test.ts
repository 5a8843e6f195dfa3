import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import type { Answer } from '../support/http.ts';
import { person } from '../support/people.ts';
import type { Person } from '../support/people.ts';
import { expectRefusal, startService } from '../support/service.ts';
import { inLine, rowOf, wholeTable } from './held.ts';
import { forSuite } from '../support/suite.ts';

/* Whoever changes a user has the right to until the change is committed. */

let own: string;
let other: string;

const service = await forSuite(startService());
// So that no change meets the rule that the last one stays.
await person(service, 'ADMIN', []);

beforeEach(async () => {
  own = (await service.tenant('Own')).clients;
  other = (await service.tenant('Other')).clients;
});

const pair = async (role: Role, clients: readonly string[]): Promise<[Person, Person]> => {
  const [one, two] = [await person(service, role, clients), await person(service, role, clients)];
  return one.id < two.id ? [one, two] : [two, one];
};

const change = ({ token }: Person, { id }: Person, body: object) =>
  service.ask(`PUT /api/users/${id}`, { token, body });
const access = (method: 'PUT' | 'DELETE', { token }: Person, { id }: Person, client: string) =>
  service.ask(`${method} /api/users/${id}/client-access/${client}`, { token });
const stored = async ({ id }: Person) =>
  (await service.admin('select * from public.users where id = $1', [id]))[0] ?? {};

/** Each has been let in, and waits for the end of its transaction, or for the one before. */
const atOnce = (...send: (() => Promise<Answer>)[]) => inLine(service, wholeTable('audit_logs'), send);

const LOSSES: readonly (readonly [string, (own: string) => Readonly<Record<string, unknown>>])[] = [
  ['put each other out', () => ({ is_active: false })],
  ['demote each other', () => ({ role: 'CLIENT' })],
  ['narrow each other', (client) => ({ client_access: [client] })],
];

describe.each(['smaller', 'greater'])('of two ADMINs, the one with the %s id first, who', (first) => {
  test.each(LOSSES)('%s at the same moment the second is refused', async (_what, loss) => {
    const [smaller, greater] = await pair('ADMIN', []);
    const [one, two] = first === 'smaller' ? [smaller, greater] : [greater, smaller];
    const [done, refused] = await atOnce(
      () => change(one, two, loss(own)),
      () => change(two, one, loss(own)),
    );
    expect(done?.status).toBe(200);
    await expectRefusal(service, refused ?? ({} as Answer), 'ERROR_UNAUTHORIZED');
    expect(await stored(two)).toMatchObject(loss(own));
    expect(await stored(one)).toMatchObject({ role: 'ADMIN', is_active: true, client_access: [] });
  });

  test('have a list and take a client from each other at the same moment the second is refused', async () => {
    const [smaller, greater] = await pair('ADMIN', [own, other]);
    const [one, two] = first === 'smaller' ? [smaller, greater] : [greater, smaller];
    const [done, refused] = await atOnce(
      () => access('DELETE', one, two, other),
      () => access('DELETE', two, one, other),
    );
    expect(done?.status).toBe(204);
    await expectRefusal(service, refused ?? ({} as Answer), 'ERROR_UNAUTHORIZED');
    expect(await stored(two)).toMatchObject({ client_access: [own] });
    expect(await stored(one)).toMatchObject({ client_access: [own, other] });
  });
});

/** What somebody does to others who is losing the right to it. */
const WRITES: readonly (readonly [string, Role, (by: Person, target: Person) => Promise<Answer>])[] = [
  ['changes a user', 'ADMIN', (by, target) => change(by, target, { name: 'Changed' })],
  ['sets the password of a user', 'ADMIN', (by, target) => change(by, target, { password: 'a long enough password' })],
  ['gives a client', 'ACCOUNT_MANAGER', (by, target) => access('PUT', by, target, other)],
  ['takes a client', 'ACCOUNT_MANAGER', (by, target) => access('DELETE', by, target, own)],
  [
    'makes a user',
    'ADMIN',
    ({ token }) =>
      service.ask('POST /api/users', {
        token,
        body: { email: `${randomUUID()}@users.example`, name: 'New', role: 'CLIENT' },
      }),
  ],
];

describe('whoever loses their rights while a transaction of theirs', () => {
  test.each(WRITES)('%s is refused, and nothing is stored', async (_what, role, write) => {
    const chief = await person(service, 'ADMIN', []);
    const by = await person(service, role, role === 'ADMIN' ? [] : [own, other]);
    const target = await person(service, 'CLIENT', [own]);
    const before = await stored(target);
    const users = await service.admin('select count(*) from public.users');
    const [lost, refused] = await atOnce(
      () => change(chief, by, { role: 'CLIENT', client_access: [own] }),
      () => write(by, target),
    );
    expect(lost?.status).toBe(200);
    await expectRefusal(service, refused ?? ({} as Answer), 'ERROR_UNAUTHORIZED');
    expect(await stored(target)).toEqual(before);
    expect(await service.admin('select count(*) from public.users')).toEqual(users);
  });

  test.each(WRITES)('%s loses them only after that is committed', async (_what, role, write) => {
    const chief = await person(service, 'ADMIN', []);
    const by = await person(service, role, role === 'ADMIN' ? [] : [own, other]);
    const target = await person(service, 'CLIENT', [own]);
    const [done, lost] = await atOnce(
      () => write(by, target),
      () => change(chief, by, { role: 'CLIENT', client_access: [own] }),
    );
    expect([200, 201, 204]).toContain(done?.status);
    expect(lost?.status).toBe(200);
    const [wrote, took] = [done, lost].map((answer) => answer?.headers['x-request-id']);
    const order = await service.sql`select request_id from public.audit_logs
      where request_id in (${wrote}, ${took}) order by created_at`;
    expect(order).toEqual([{ request_id: wrote }, { request_id: took }]);
  });
});

test('an ADMIN changes a user while another change by the same ADMIN waits for its user', async () => {
  const chief = await person(service, 'ADMIN', []);
  const [one, two] = await pair('CLIENT', [own]);
  const [waited] = await inLine(
    service,
    rowOf('users', one.id),
    [() => change(chief, one, { name: 'One' })],
    async () => {
      expect((await change(chief, two, { name: 'Two' })).status).toBe(200);
    },
  );
  expect(waited?.status).toBe(200);
});
