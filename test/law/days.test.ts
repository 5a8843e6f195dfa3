import { expect, test } from '@jest/globals';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { LAW_DAYS } from './days.ts';
import type { LawDay } from './days.ts';

/* This suite compares the days that the service derives with days.ts, a table made by hand from the law. */

const service = await forSuite(startService());
const tenant = await service.tenant('Imprimerie Vasseur');
const token = await service.token('ACCOUNT_MANAGER', [tenant.clients]);

const FIELDS = {
  claim: 'claim_deadline',
  response: 'response_due_at',
  court: 'court_deadline',
  regularisation: 'regularisation_due_on',
  appeal: 'appeal_deadline',
} as const;

type Json = Readonly<Record<string, unknown>>;

const claimOf = (facts: LawDay['facts'], notice_reference: string): object => ({
  ...{ client_id: tenant.clients, site_id: tenant.sites, claim_type: 'TF', commune_code: '69123', amount: 1000 },
  ...{ notice_reference, ...facts },
});

/** Returns the day of the kind `relief` that GET /api/deadlines lists for a claim. */
async function reliefOf(id: unknown): Promise<unknown> {
  const line = `GET /api/deadlines?kind=relief&within=3660&passed=3660&client_id=${tenant.clients}&limit=200`;
  const rows = (await service.ask(line, { token })).json as readonly Json[];
  return rows.find((row) => row['id'] === id)?.['due_on'];
}

const titled = LAW_DAYS.map((row, n) => ({ ...row, n, given: JSON.stringify(row.facts), result: String(row.day) }));

test.each(titled)(
  'the service derives $result, the day that the law gives, as the $kind day of a claim with $given',
  async ({ kind, facts, day, source, n }) => {
    const created = await service.ask('POST /api/reclamations', { token, body: claimOf(facts, `row ${String(n)}`) });
    expect([source, created.status, created.json]).toEqual([source, 201, expect.anything()]);
    const { id, ...claim } = created.json as Json;
    expect([source, kind === 'relief' ? await reliefOf(id) : claim[FIELDS[kind]]]).toEqual([source, day]);
    expect([source, claim['response_is_estimate']]).toEqual([
      source,
      facts['submitted_at'] !== undefined && facts['received_on'] === undefined,
    ]);
  },
);

test('a claim whose facts are entered one by one has the same days as one created with all facts at once', async () => {
  for (const [n, { kind, facts, day, source }] of LAW_DAYS.entries()) {
    if (kind === 'relief' || n % 5 !== 0) continue;
    const { claim_type = 'TF', ...later } = facts;
    const first = claimOf({ claim_type }, `later ${String(n)}`);
    const { json } = await service.ask('POST /api/reclamations', { token, body: first });
    const line = `PUT /api/reclamations/${String((json as Json)['id'])}`;
    let claim: Json = {};
    for (const [name, value] of Object.entries(later))
      claim = (await service.ask(line, { token, body: { [name]: value } })).json as Json;
    expect([source, claim[FIELDS[kind]]]).toEqual([source, day]);
  }
});
