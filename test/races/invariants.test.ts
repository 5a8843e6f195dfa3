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
 * `npm run proofs -- races` runs checks after simultaneous requests. To test each check, the superuser first damages
 * the rows that the requests wrote; the check must then report a violation.
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

async function withFault(outcome: Outcome, { sql, answered = {} }: Fault): Promise<Outcome> {
  const [first = '', second = ''] = outcome.exchanges.map(({ answer }) => String(answer.headers['x-request-id']));
  if (sql !== undefined) {
    const statement = sql({ first, second, client: outcome.tenant.clients });
    await lane.watcher.query(
      `begin; set local session_replication_role = replica;
       alter table public.audit_logs disable trigger audit_logs_append_only;
       ${statement};
       alter table public.audit_logs enable always trigger audit_logs_append_only; commit`,
    );
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

test('each rule that is checked after simultaneous requests is violated by a fault of test/races/faults.ts, which damages rows or answers', () => {
  expect(Object.keys(FAULTS).toSorted()).toEqual(INVARIANTS.toSorted());
});

test.each(Object.entries(FAULTS))(
  'npm run proofs -- races reports rows or responses that violate this rule: %s',
  async (invariant, fault) => {
    const outcome = await race(fault);
    expect(await broken(outcome)).not.toContain(invariant);
    expect(await broken(await withFault(outcome, fault))).toContain(invariant);
  },
);
