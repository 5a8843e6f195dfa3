import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/** Oldest first; the last two are of the same moment, and the last has the greater id. */
const ids = [
  '00000000-0000-4000-8000-000000000009',
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
];
const [oldest = '', middle = '', newest = ''] = ids;

const service = await forSuite(startService());
await service.sql`insert into public.clients (id, company_name, contact_email, address, created_at)
   select id, 'Société n° ' || n, 'a@b.example', case n when 1 then '1 rue de l’Église' end, timestamptz '2026-01-01' + least(n, 2) * interval '1 day'
   from unnest(${ids}::uuid[]) with ordinality as t (id, n)`;

async function listed(token: string, query = ''): Promise<string[]> {
  const answer = await service.ask(`GET /api/clients${query}`, { token });
  expect(answer.status).toBe(200);
  return (answer.json as { id: string }[]).map(({ id }) => id);
}

describe('the list of clients', () => {
  test.each(['ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT', 'ADMIN'] as const)(
    'gives %s the clients of the token alone, newest first',
    async (role) => {
      expect(await listed(await service.token(role, [oldest, newest]))).toEqual([newest, oldest]);
    },
  );

  test.each(['ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)(
    'gives %s nothing where the token lists none, though there are clients',
    async (role) => {
      expect(await listed(await service.token(role))).toEqual([]);
    },
  );

  test('gives an ADMIN whose token lists none the whole system', async () => {
    expect(await listed(await service.token('ADMIN'))).toEqual([newest, middle, oldest]);
  });

  test('is cut by limit and offset', async () => {
    const token = await service.token('ADMIN');
    expect(await listed(token, '?limit=2')).toEqual([newest, middle]);
    expect(await listed(token, '?limit=2&offset=2')).toEqual([oldest]);
    expect(await listed(token, '?offset=3')).toEqual([]);
  });
});

describe('a client', () => {
  test('is the record itself, with nom, the same text as company_name', async () => {
    const token = await service.token('CLIENT', [oldest]);
    const answer = await service.ask(`GET /api/clients/${oldest}`, { token });
    expect(answer.json).toEqual({
      id: oldest,
      company_name: 'Société n° 1',
      nom: 'Société n° 1',
      contact_email: 'a@b.example',
      address: '1 rue de l’Église',
      created_at: '2026-01-02T00:00:00Z',
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  test('that does not exist is 404 for an ADMIN without a list, and 403 for whoever has one', async () => {
    const line = `GET /api/clients/${randomUUID()}`;
    expectError(await service.ask(line, { token: await service.token('ADMIN') }), 'ERROR_NOT_FOUND');
    const scoped = await service.ask(line, { token: await service.token('ADMIN', [oldest]) });
    await expectRefusal(service, scoped, 'ERROR_FORBIDDEN');
  });

  test('that is gone is 404 for whoever has it in the token still', async () => {
    const gone = randomUUID();
    const token = await service.token('CLIENT', [gone]);
    expectError(await service.ask(`GET /api/clients/${gone}`, { token }), 'ERROR_NOT_FOUND');
    expectError(await service.ask(`GET /api/clients/${gone}/reclamations`, { token }), 'ERROR_NOT_FOUND');
  });
});
