import { expect, test } from '@jest/globals';
import type { Exchange } from './exchange.ts';
import { FAULTS } from './faults.ts';
import type { Fault } from './faults.ts';
import { INVARIANTS, violations } from './invariants.ts';
import { openLane } from './lane.ts';
import { measure } from './measure.ts';
import { OPERATIONS } from './operations.ts';
import { run } from './race.ts';
import type { Outcome } from './race.ts';
import { forSuite } from '../support/suite.ts';

/*
 * Tests each check that the proof `races` makes after simultaneous requests: after requests without a fault, the
 * superuser makes a fault that the check must notice.
 */

const lane = await forSuite(openLane());

async function race({ after: names, isManaged }: Fault): Promise<Outcome> {
  const members = [];
  for (const name of names) {
    const operation = OPERATIONS.find((one) => one.name.startsWith(name));
    if (operation === undefined) throw new Error(`no operation is called ${name}`);
    members.push(await measure(lane, operation));
  }
  return run(lane, { members, hold: 'row', isManaged: isManaged === true });
}

/** Makes a fault in the rows that simultaneous requests wrote, or in their responses. */
async function withFault(outcome: Outcome, { sql, answered = {} }: Fault): Promise<Outcome> {
  const [first = '', second = ''] = outcome.exchanges.map(({ answer }) => String(answer.headers['x-request-id']));
  if (sql !== undefined) {
    const statement = sql({ first, second, client: outcome.tenant.clients });
    await lane.watcher.query(`begin; set local session_replication_role = replica; ${statement}; commit`);
  }
  const { difference, status } = answered;
  const exchanges = outcome.exchanges.map(
    (one, index): Exchange => ({
      ...one,
      ...(index === 0 && difference !== undefined && { difference }),
      ...(index === 0 && status !== undefined && { answer: { ...one.answer, status } }),
    }),
  );
  return { ...outcome, exchanges };
}

async function broken(outcome: Outcome): Promise<string[]> {
  return (await violations(lane, outcome)).map(({ invariant }) => invariant);
}

test('test/races/faults.ts violates each invariant once that the proof races checks after simultaneous requests', () => {
  expect(Object.keys(FAULTS).toSorted()).toEqual(INVARIANTS.toSorted());
});

test.each(Object.entries(FAULTS))(
  'the proof races reports stored rows or responses that violate the invariant: %s',
  async (invariant, fault) => {
    const outcome = await race(fault);
    expect(await broken(outcome)).not.toContain(invariant);
    expect(await broken(await withFault(outcome, fault))).toContain(invariant);
  },
);
