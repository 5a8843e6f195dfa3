import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { LOST, resultOf } from '../../deploy/check/accounts.ts';
import { violationsOf } from '../../deploy/check/fault.ts';
import { CHECKS } from '../faults/checks.ts';
import type { Entry } from '../faults/journal.ts';
import { FOREIGN } from '../faults/load/foreign.ts';
import { judge } from '../faults/load/judgement.ts';
import { OPERATIONS } from '../faults/load/operations.ts';
import type { Situation } from '../faults/load/operations.ts';
import type { LoadTenant } from '../faults/load/people.ts';
import { BEHIND, Sight } from '../faults/load/sight.ts';

/* The checks of the load's answers, with invented wrong answers: each is counted in the column of its kind. */

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

/** The entry that the load makes for an operation with this answer. */
function counted(name: string, status: number, body: unknown) {
  const operation = OPERATIONS.find((one) => one.name === name);
  const wanted = operation?.prepare(situation());
  if (operation === undefined || wanted === undefined) throw new Error(`${name} is no operation`);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const received = { status, headers: {}, body: Buffer.from(text), lost: null, ms: 5 };
  const judged = judge(wanted, received, { repeated: false, isKnown: false, tenant: OWN, others: [OTHER] });
  const entry: Entry = {
    ...{ serial: 1, attempt: 1, operation: name, kind: operation.kind, table: null, record: null },
    ...{
      marker: null,
      keyed: false,
      status,
      lost: null,
      requestId: 'r',
      retryAfter: false,
      answer: null,
      at: 10,
      ms: 5,
    },
    ...{ expected: judged.expected, defect: judged.defect, foreign: judged.foreign },
  };
  return resultOf([entry], [], 0);
}

const counts = (...claims: number[]) => claims.map((count) => ({ status: 'DRAFT', count }));

describe('an answer that tells the truth is counted as nothing', () => {
  test.each<[string, number, unknown]>([
    ['read site', 200, site],
    ['read sites', 200, [site]],
    ['read claim', 200, claim],
    ['read claims', 200, [claim]],
    ['count claims', 200, counts(1)],
    ['count claims', 200, counts(1, 1)],
    ['download', 200, 'whole'],
    ['read a foreign record', 403, { error: {} }],
  ])('a correct answer to %s counts as neither stale nor foreign', (name, status, body) => {
    const { failed, stale, foreign, named, wrong } = counted(name, status, body);
    expect({ failed, stale, foreign, named, wrong }).toEqual({
      ...{ failed: 0, stale: 0, foreign: 0, named: {}, wrong: [] },
    });
  });
});

describe('an answer that lacks what its caller has written or seen is stale', () => {
  const before = '2026-01-01T10:00:00.49Z';
  test.each<[string, string, number, unknown, string]>([
    ['an acknowledged site is not there', 'read site', 404, { error: {} }, BEHIND.lacking],
    ['an acknowledged site is not in the list', 'read sites', 200, [], BEHIND.lacking],
    ['an acknowledged claim is not in the list', 'read claims', 200, [], BEHIND.lacking],
    ['a field is as before', 'read site', 200, { ...site, address: 'old' }, BEHIND.old],
    ['a field in a list is as before', 'read sites', 200, [{ ...site, address: 'old' }], BEHIND.old],
    ['a status is as before', 'read claim', 200, { ...claim, status: 'READY_FOR_REVIEW' }, BEHIND.old],
    ['a version is that of before', 'read site', 200, { ...site, updated_at: before }, BEHIND.old],
    ['an acknowledged claim is not counted', 'count claims', 200, counts(), BEHIND.fewer],
  ])('an answer counts as stale if %s', (_, name, status, body, lie) => {
    const result = counted(name, status, body);
    expect(result).toMatchObject({ stale: 1, foreign: 0, named: { [lie]: 1 } });
    expect(violationsOf({}, result).slice(0, 2)).toEqual(['1 stale', `1 × ${lie}`]);
  });

  test('a document with other content than its caller’s counts as stale', () => {
    expect(counted('download', 200, 'half')).toMatchObject({ stale: 1 });
  });
});

describe('an answer that holds anything of another tenant is foreign', () => {
  const theirs = { ...site, id: randomUUID(), client_id: OTHER.client };
  const nobodyOfThePlan = { ...site, id: randomUUID(), client_id: randomUUID() };
  test.each<[string, string, number, unknown, string]>([
    ['a row in a list, by its client', 'read sites', 200, [site, nobodyOfThePlan], FOREIGN.row],
    ['a row in a list, by an id that is known', 'read sites', 200, [site, theirs], FOREIGN.text],
    ['a record by its id', 'read a foreign record', 200, { ...theirs, id: OTHER.site }, FOREIGN.text],
    ['a name in a refusal', 'read a foreign client', 403, { error: OTHER.word }, FOREIGN.text],
    ['claims in a count', 'count claims', 200, counts(1, 2), FOREIGN.count],
  ])('an answer counts as foreign if it has %s of another tenant', (_, name, status, body, lie) => {
    const result = counted(name, status, body);
    expect(result.foreign).toBe(1);
    expect(result.named?.[lie]).toBe(1);
    expect(violationsOf({}, result)).toContain('1 foreign');
  });
});

test('each check for lost writes has a damage that it must find', () => {
  expect([...LOST].filter((name) => !(name in CHECKS))).toEqual([]);
});
