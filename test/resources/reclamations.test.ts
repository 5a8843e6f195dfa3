import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { reclamation } from '../../src/resources/reclamation-record.ts';
import { expectError, startService } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const later = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

const service = await forSuite(startService());
const own = await service.tenant('Own');
const foreign = await service.tenant('Foreign');
await service.sql`insert into public.reclamations (
     id, client_id, site_id, claim_type, amount, tax_year, commune_code, notice_reference, collection_date,
     submitted_at, decision_date, court_deadline, granted_amount, refund_amount, grounds, created_at
   )
   select id, ${own.clients}, ${own.sites}, 'CFE', 1000, 2025, '2A004', 'AR-1', '2025-10-31', '2026-01-31T12:00:00Z', '2026-03-01',
     '2026-05-01', 0.1, 0, 'Erreur de surface', now() + interval '1 day'
   from unnest(${later}::uuid[]) as id`;

async function list(tenant: Tenant, token: string, query = '') {
  return service.ask(`GET /api/clients/${tenant.clients}/reclamations${query}`, { token });
}
const idsOf = (json: unknown) => (json as { id: string }[]).map(({ id }) => id);

describe('the claims of a client', () => {
  test.each(['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'] as const)(
    'are given to %s, newest first, and no other client’s',
    async (role) => {
      const both = await service.token(role, [own.clients, foreign.clients]);
      const [first = '', second = ''] = later;
      expect(idsOf((await list(own, both)).json)).toEqual([second, first, own.reclamations]);
      expect(idsOf((await list(foreign, both)).json)).toEqual([foreign.reclamations]);
    },
  );

  test('are whole records, with amounts of two decimals', async () => {
    const token = await service.token('CLIENT', [own.clients]);
    const answer = await list(own, token, '?limit=1');
    expect(answer.json).toEqual([
      {
        // What this claim does not have, as its assignee.
        ...Object.fromEntries(reclamation.fields.map((name) => [name, null])),
        id: later[1],
        client_id: own.clients,
        site_id: own.sites,
        claim_type: 'CFE',
        amount: 1000,
        status: 'DRAFT',
        tax_year: 2025,
        commune_code: '2A004',
        notice_reference: 'AR-1',
        collection_date: '2025-10-31',
        claim_deadline: '2026-12-31',
        submitted_at: '2026-01-31T12:00:00Z',
        response_due_at: '2026-07-31T12:00:00Z',
        decision_date: '2026-03-01',
        court_deadline: '2026-05-01',
        granted_amount: 0.1,
        refund_amount: 0,
        grounds: 'Erreur de surface',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(answer.text).toContain('"amount":1000.00,');
    expect(answer.text).toContain('"granted_amount":0.10,"refund_amount":0.00,');
  });

  test('are cut by limit and offset', async () => {
    const token = await service.token('ADMIN');
    expect(idsOf((await list(own, token, '?limit=1&offset=2')).json)).toEqual([own.reclamations]);
    expect(await list(own, token, '?offset=3')).toMatchObject({ status: 200, text: '[]' });
  });

  test('are an empty list where there are none, and 404 where there is no such client', async () => {
    const token = await service.token('ADMIN');
    const bare = randomUUID();
    await service.sql`insert into public.clients (id, company_name, contact_email)
      values (${bare}, 'Bare', 'a@b')`;
    expect(await service.ask(`GET /api/clients/${bare}/reclamations`, { token })).toMatchObject({
      status: 200,
      text: '[]',
    });
    expectError(
      await service.ask(`GET /api/clients/${randomUUID()}/reclamations`, { token }),
      'ERROR_NOT_FOUND',
    );
  });
});
