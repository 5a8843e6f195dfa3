import { HEALTH } from '../../test/faults/journal.ts';
import type { Entry } from '../../test/faults/journal.ts';
import type { Violation } from '../../test/faults/account.ts';
import type { Result } from './fault.ts';

/** The checks of test/faults by which something that was promised is not there. */
const LOST = new Set([
  'what was acknowledged is there once',
  'what was deleted is gone',
  'a record is as the last acknowledged change left it, or one without an answer after it',
  'each acknowledged move of a claim is in its history, and no other',
  'each document has its content, and each content its document or its end',
  'each refusal has one record',
  'each acknowledged write has one record of success',
]);
/** Of these the columns of the table tell. */
const COUNTED = new Set(['no answer holds anything of another tenant']);

/** What the journal and the accounts come to, where something broke at that moment. */
export function resultOf(
  entries: readonly Entry[],
  violations: readonly Violation[],
  brokenAt: number,
): Result {
  const requests = entries.filter(({ operation }) => operation !== HEALTH);
  const failed = requests.filter(hasFailed);
  const stale = requests.filter(isStale);
  const staleNames = new Set(stale.map(({ operation }) => operation));
  const rest = violations.filter(
    ({ check, detail }) =>
      !LOST.has(check) && !COUNTED.has(check) && ![...staleNames].some((name) => detail.startsWith(name)),
  );
  return {
    requests: requests.length,
    failed: failed.length,
    lost: violations.filter(({ check }) => LOST.has(check)).length,
    stale: stale.length,
    foreign: requests.filter(({ foreign }) => foreign.length > 0).length,
    backAfterMs: failed.reduce((most, { at, ms }) => Math.max(most, at + ms - brokenAt), 0),
    failures: failed.map(
      ({ operation, status, lost, at, ms }) =>
        `${operation} after ${at - brokenAt} ms: ${lost ?? String(status)} in ${ms} ms`,
    ),
    wrong: [
      ...violations.filter(({ check }) => LOST.has(check)).map(inWords),
      ...stale.map(
        ({ operation, record, status, defect }) =>
          `${operation} ${record ?? ''}: ${String(status)} ${defect ?? ''}`,
      ),
      ...rest.map(inWords),
    ],
  };
}

export function hasFailed({ status, lost, expected }: Entry): boolean {
  return lost !== null || status === null || status === 503 || !expected;
}

/** Whoever reads a record of theirs reads one that they have written, or that was there before. */
export function isStale({ kind, status, lost, expected, defect }: Entry): boolean {
  if (kind !== 'read' || lost !== null || status === 503) return false;
  return defect !== null || (!expected && (status === 404 || status === 403));
}

function inWords({ check, detail }: Violation): string {
  return `${check}: ${detail}`;
}
