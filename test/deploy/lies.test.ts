import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LOST, resultOf } from '../../deploy/check/accounts.ts';
import { violationsOf } from '../../deploy/check/fault.ts';
import { CHECKS } from '../faults/checks.ts';
import { FOREIGN } from '../faults/load/foreign.ts';
import { judge } from '../faults/load/judgement.ts';
import { OPERATIONS } from '../faults/load/operations.ts';
import type { Situation } from '../faults/load/operations.ts';
import type { LoadTenant } from '../faults/load/people.ts';
import { BEHIND, Sight } from '../faults/load/sight.ts';
import { GOOD } from './entry.ts';

/*
 * Invented wrong responses to the requests of a load test. The test expects deploy:check to count each of them in the
 * column of its kind.
 */

const tenant = (word: string): LoadTenant => ({
  ...{ word, client: randomUUID(), site: randomUUID(), claim: randomUUID() },
});
const [OWN, OTHER] = [tenant('Boulangerie-Martin'), tenant('Garage-Dupont')];
const TIME = '2026-01-01T10:00:00.5Z';
const SITE = randomUUID();
const CLAIM = randomUUID();
const UPLOAD = randomUUID();

const site = {
  id: SITE,
  client_id: OWN.client,
  site_name: 'x',
  address: 'new',
  created_at: TIME,
  updated_at: TIME,
};
const claim = { ...site, id: CLAIM, site_id: OWN.site, status: 'DRAFT', grounds: 'y' };

function situation(): Situation {
  const sight = new Sight();
  sight.acknowledged('sites', site);
  sight.acknowledged('reclamations', claim);
  return {
    person: { subject: 'idp|one', role: 'ACCOUNT_MANAGER', tenant: OWN, token: 'token' },
    own: {
      ...{ sites: [SITE], sight, drafts: [], uploads: [{ id: UPLOAD, content: 'whole' }] },
      claims: [{ id: CLAIM, status: 'DRAFT', hasDocuments: false }],
    },
    ...{
      others: [OTHER],
      tally: { claims: 2 },
      random: () => 0,
      serial: 1,
      marker: 'm',
      newToken: undefined,
    },
  };
}

/** Returns the figures that deploy:check counts if one request of a load test got this answer. */
function counted(name: string, status: number, body: unknown) {
  const operation = OPERATIONS.find((one) => one.name === name);
  const wanted = operation?.prepare(situation());
  if (operation === undefined || wanted === undefined) throw new Error(`${name} is no operation`);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const received = { status, headers: {}, body: Buffer.from(text), lost: null, ms: 5 };
  const circumstances = { repeated: false, isKnown: false, tenant: OWN, others: [OTHER] };
  const { expected, defect, foreign } = judge(wanted, received, circumstances);
  return resultOf([{ ...GOOD, operation: name, kind: operation.kind, status, expected, defect, foreign }], [], 0);
}

const counts = (...claims: number[]) => claims.map((count) => ({ status: 'DRAFT', count }));

test.each<[string, number, unknown]>([
  ['read site', 200, site],
  ['read sites', 200, [site]],
  ['read claim', 200, claim],
  ['read claims', 200, [claim]],
  ['count claims', 200, counts(1)],
  ['count claims', 200, counts(1, 1)],
  ['download', 200, 'whole'],
  ['read a foreign record', 403, { error: {} }],
])(
  'deploy:check counts a correct answer to "%s" neither as stale nor as one with another tenant’s data',
  (name, status, body) => {
    const { failed, stale, foreign, named, wrong } = counted(name, status, body);
    expect({ failed, stale, foreign, named, wrong }).toEqual({
      ...{ failed: 0, stale: 0, foreign: 0, named: {}, wrong: [] },
    });
  },
);

const before = '2026-01-01T10:00:00.49Z';
test.each<[string, string, number, unknown, string]>([
  ['an acknowledged site gets 404', 'read site', 404, { error: {} }, BEHIND.lacking],
  ['a list lacks an acknowledged site', 'read sites', 200, [], BEHIND.lacking],
  ['a list lacks an acknowledged claim', 'read claims', 200, [], BEHIND.lacking],
  ['a record has the old value of a changed field', 'read site', 200, { ...site, address: 'old' }, BEHIND.old],
  ['a list has the old value of a changed field', 'read sites', 200, [{ ...site, address: 'old' }], BEHIND.old],
  ['a claim has its old status after a move', 'read claim', 200, { ...claim, status: 'READY_FOR_REVIEW' }, BEHIND.old],
  [
    'a record has an older updated_at than the record that its change returned',
    'read site',
    200,
    { ...site, updated_at: before },
    BEHIND.old,
  ],
  ['a count of claims is lower than the number of acknowledged claims', 'count claims', 200, counts(), BEHIND.fewer],
])('deploy:check counts an answer as stale if %s', (_, name, status, body, lie) => {
  const result = counted(name, status, body);
  expect(result).toMatchObject({ stale: 1, foreign: 0, named: { [lie]: 1 } });
  expect(violationsOf({}, result).slice(0, 2)).toEqual(['1 stale', `1 × ${lie}`]);
});

test('deploy:check counts a download as stale if its content differs from the caller’s upload', () => {
  expect(counted('download', 200, 'half')).toMatchObject({ stale: 1 });
});

const theirs = { ...site, id: randomUUID(), client_id: OTHER.client };
const nobodyOfThePlan = { ...site, id: randomUUID(), client_id: randomUUID() };
test.each<[string, string, number, unknown, string]>([
  ['a row with the client_id of another client in a list', 'read sites', 200, [site, nobodyOfThePlan], FOREIGN.row],
  ['a row with a known id of another tenant in a list', 'read sites', 200, [site, theirs], FOREIGN.text],
  ['a record of another tenant by its id', 'read a foreign record', 200, { ...theirs, id: OTHER.site }, FOREIGN.text],
  ['a name of another tenant in a refusal', 'read a foreign client', 403, { error: OTHER.word }, FOREIGN.text],
  ['more claims in a count than the tenant has', 'count claims', 200, counts(1, 2), FOREIGN.count],
])('deploy:check counts an answer as showing another tenant’s data if it contains %s', (_, name, status, body, lie) => {
  const result = counted(name, status, body);
  expect(result.foreign).toBe(1);
  expect(result.named?.[lie]).toBe(1);
  expect(violationsOf({}, result)).toContain('1 foreign');
});

test('the list of checks whose violations deploy:check counts as lost writes names only existing checks', () => {
  expect([...LOST].filter((name) => !(name in CHECKS))).toEqual([]);
});
