import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/identity/caller.ts';
import type { Answer } from '../support/http.ts';
import { expectError, startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';
import { inLine, rowOf } from '../support/held-row.ts';
import { forSuite } from '../support/suite.ts';
import { make } from '../support/rows.ts';

/* This suite tests the assignee of a claim: the user who handles the claim. */

let own: Tenant;

let claim: string;

const service = await forSuite(startService());
const foreign = await service.furnishedTenant('Garage Dupont');

beforeEach(async () => {
  own = await service.furnishedTenant('Boulangerie Martin');
  claim = `/api/reclamations/${own.reclamations}`;
});

async function user(role: Role, clients: readonly string[], isActive = true): Promise<string> {
  return make(service, 'users', { role, client_access: clients, is_active: isActive });
}

const token = (role: Role = 'ACCOUNT_MANAGER') => service.token(role, [own.clients]);
const assign = async (id: string | null, role: Role = 'ACCOUNT_MANAGER'): Promise<Answer> =>
  service.ask(`PUT ${claim}`, { token: await token(role), body: { assignee_id: id } });
const assignee = async (): Promise<unknown> =>
  (await service.admin('select assignee_id from public.reclamations where id = $1', [own.reclamations]))[0]?.[
    'assignee_id'
  ];
const read = async (): Promise<Answer> => service.ask(`GET ${claim}`, { token: await token() });

test.each(['ADMIN', 'ACCOUNT_MANAGER', 'CLIENT'] as const)(
  'a user with the role %s can filter claims and deadlines by a missing assignee, alone or with named assignees, also in the summary and CSV',
  async (role) => {
    await assign(own.users);
    const { clients, sites } = own;
    const free = randomUUID();
    const [other, theirs] = [await user('TAX_SPECIALIST', [clients]), randomUUID()];
    await service.sql`insert into public.reclamations (id, client_id, site_id, claim_type, amount, collection_date, assignee_id)
       select c.id, ${clients}, ${sites}, 'TF', 5, now() - interval '1 year', c.assignee
       from unnest(${[free, theirs]}::uuid[], ${[null, other]}::uuid[]) as c (id, assignee)`;
    const ask = async (path: string, headers = {}) => service.ask(`GET ${path}`, { token: await token(role), headers });
    for (const [ids, found] of [
      ['none', [free]],
      [`none,${own.users}`, [free, own.reclamations]],
      [`${other},none,${own.users}`, [free, theirs, own.reclamations]],
      [`none,none,${foreign.users}`, [free]],
      [other, [theirs]],
    ] as const) {
      const filter = `assignee_id=${ids}`;
      const listed = (await ask(`/api/reclamations?${filter}&sort=amount`)).json as { id: string }[];
      expect([ids, listed.map(({ id }) => id).toSorted()]).toEqual([ids, [...found].toSorted()]);
      const counted = (await ask(`/api/reclamations/summary?${filter}`)).json as { count: number }[];
      expect([ids, counted.map(({ count }) => count)]).toEqual([ids, [found.length]]);
      const table = await ask(`/api/reclamations?${filter}`, { accept: 'text/csv' });
      expect([ids, table.text.match(/^\uFEFF?"?[0-9a-f-]{36}/gm)?.length]).toEqual([ids, found.length]);
      const due = (await ask(`/api/deadlines?within=3660&${filter}`)).json as { id: string }[];
      expect([ids, due.map(({ id }) => id).toSorted()]).toEqual([ids, [...found].toSorted()]);
    }
    const wrong = await ask('/api/reclamations?assignee_id=nobody');
    expectError(wrong, 'ERROR_VALIDATION', { assignee_id: 'must be a UUID, or none' });
  },
);

test('an assignee’s name is shown to the firm’s staff and to the assignee, but not to other users with the role CLIENT', async () => {
  await assign(own.users);
  const shown = async (role: Role, sub?: string) => {
    const by = await service.token(role, [own.clients], sub === undefined ? {} : { sub });
    const { json } = await service.ask(`GET ${claim}?expand=assignee`, { token: by });
    return json;
  };
  const staff = ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'] as const;
  const expectNamed = async (id: string): Promise<void> => {
    for (const role of staff)
      expect(await shown(role)).toMatchObject({ assignee_id: id, assignee: { id, name: 'Ada' } });
    expect(await shown('CLIENT')).toMatchObject({ assignee_id: id, assignee: null });
  };
  await expectNamed(own.users);
  await service.admin('update public.users set is_active = false where id = $1', [own.users]);
  await expectNamed(own.users);
  for (const id of [await user('ADMIN', []), await user('CLIENT', [own.clients, foreign.clients])]) {
    expect((await assign(id)).status).toBe(200);
    await expectNamed(id);
  }
  const self = await user('CLIENT', [own.clients]);
  await assign(self);
  expect(await shown('CLIENT', self)).toMatchObject({ assignee: { id: self, name: 'Ada' } });
  await assign(null);
  expect(await shown('TAX_SPECIALIST')).toMatchObject({ assignee_id: null, assignee: null });
  await assign(null);
  expect(await shown('ADMIN')).toMatchObject({ assignee_id: null, assignee: null });
});

describe('the assignee of a claim who loses the claim’s client', () => {
  const asAdmin = async (line: string, body?: object): Promise<Answer> =>
    service.ask(line, { token: await service.token('ADMIN'), ...(body && { body }) });

  test('a user who becomes inactive stays the assignee of a claim, and the claim can still be changed', async () => {
    await assign(own.users);
    expect((await asAdmin(`PUT /api/users/${own.users}`, { is_active: false })).status).toBe(200);
    expect(await assignee()).toBe(own.users);
    const answer = await service.ask(`PUT ${claim}`, {
      token: await token(),
      body: { assignee_id: own.users, grounds: 'Erreur de surface' },
    });
    expect(answer.status).toBe(200);
  });

  const withdrawn = () => asAdmin(`DELETE /api/users/${own.users}/client-access/${own.clients}`);

  test('if one request assigns a claim to a user and another takes the claim’s client from the user, the later request sees the earlier change', async () => {
    const lost = await inLine(service, rowOf('users', own.users), [withdrawn, () => assign(own.users)]);
    expect(lost.map(({ status }) => status)).toEqual([204, 400]);
    expect(await assignee()).toBe(null);

    own = await service.furnishedTenant('Boulangerie Martin');
    claim = `/api/reclamations/${own.reclamations}`;
    const won = await inLine(service, rowOf('users', own.users), [() => assign(own.users), withdrawn]);
    expect(won.map(({ status }) => status)).toEqual([200, 204]);
    expect((await read()).json).toMatchObject({ assignee_id: null });
  });
});

describe('the possible assignees of a claim', () => {
  const listed = async (role: Role, query = '', clients = [own.clients]): Promise<Answer> =>
    service.ask(`GET /api/clients/${own.clients}/assignees${query}`, { token: await service.token(role, clients) });
  const ids = ({ json }: Answer): readonly string[] => (json as { id: string }[]).map(({ id }) => id);

  test.each(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST'] as const)(
    'a user with the role %s can list exactly the users to whom that role is allowed to assign a claim',
    async (role) => {
      const everybody = [
        ...[own.users, own.newcomer, foreign.users],
        await user('ADMIN', []),
        await user('ADMIN', [own.clients]),
        await user('ADMIN', [foreign.clients]),
        await user('ACCOUNT_MANAGER', [foreign.clients, own.clients]),
        await user('CLIENT', [own.clients]),
        await user('TAX_SPECIALIST', []),
        await user('TAX_SPECIALIST', [own.clients], false),
        await user('ADMIN', [], false),
      ];
      const answer = await listed(role);
      const found = ids(answer);
      for (const id of everybody)
        expect([id, found.includes(id)]).toEqual([id, (await assign(id, role)).status === 200]);
      expect(found.filter((id) => everybody.includes(id))).toHaveLength(5);
      for (const one of answer.json as object[]) expect(Object.keys(one)).toEqual(['id', 'name']);
    },
  );
});
