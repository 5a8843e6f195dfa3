import { HEALTH } from '../../test/faults/journal.ts';
import type { Entry } from '../../test/faults/journal.ts';
import type { Violation } from '../../test/faults/account.ts';
import { BEHIND } from '../../test/faults/load/sight.ts';
import type { Result } from './fault.ts';

/**
 * After a load test, these checks compare the requests with the database. The command deploy:check counts their
 * violations as lost writes.
 */
export const LOST: ReadonlySet<string> = new Set([
  'each acknowledged creation is stored once',
  'no deleted record is stored',
  'each record has the values of the last acknowledged change, or of a later change without an answer',
  'the history of a claim has each acknowledged move, and no other',
  'each document has its content, and each content has a document or a planned removal',
  'each refused request has a refusal record',
  'no refused request has two refusal records',
  'each acknowledged write has one success record',
]);
/**
 * The table of deploy:check counts violations of these checks as answers with data of another tenant, and does not list
 * them a second time as problems.
 */
const COUNTED = new Set(['no answer contains anything of another tenant']);
/**
 * An outdated answer can also violate these checks. The command deploy:check does not count such a violation a second
 * time.
 */
const OF_ANSWERS = new Set(['each answer has an expected status or 503', 'each answer is complete and right']);

/**
 * Counts the requests of a load test, and the violations that its checks found, for the table of deploy:check.
 * `brokenAt` is the time when a part of the deployment failed, in milliseconds since 1970.
 */
export function resultOf(entries: readonly Entry[], violations: readonly Violation[], brokenAt: number): Result {
  const requests = entries.filter(({ operation }) => operation !== HEALTH);
  const failed = requests.filter(hasFailed);
  const stale = requests.filter(isStale);
  const foreign = requests.filter((entry) => entry.foreign.length > 0);
  const lost = violations.filter(({ check }) => LOST.has(check));
  const staleNames = [...new Set(stale.map(({ operation }) => operation))];
  const isOfStale = ({ check, detail }: Violation): boolean =>
    OF_ANSWERS.has(check) && staleNames.some((name) => detail.startsWith(name));
  const rest = violations.filter(
    (violation) => !LOST.has(violation.check) && !COUNTED.has(violation.check) && !isOfStale(violation),
  );
  const names = [
    ...stale.map(nameOfStale),
    ...foreign.flatMap((entry) => [...new Set(entry.foreign.map(nameOf))]),
    ...lost.map(({ check }) => check),
  ];
  return {
    requests: requests.length,
    failed: failed.length,
    lost: lost.length,
    stale: stale.length,
    foreign: foreign.length,
    refused: requests.filter(({ status }) => status === 401 || status === 403).length,
    named: Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length])),
    backAfterMs: failed.reduce((most, { at, ms }) => Math.max(most, at + ms - brokenAt), 0),
    failures: failed.map(
      ({ operation, status, lost, at, ms }) =>
        `${operation} after ${at - brokenAt} ms: ${lost ?? String(status)} in ${ms} ms`,
    ),
    wrong: [
      ...lost.map(inWords),
      ...stale.map(
        ({ operation, record, status, defect }) => `${operation} ${record ?? ''}: ${String(status)} ${defect ?? ''}`,
      ),
      ...foreign.map((entry) => `${entry.operation}: ${entry.foreign.join(', ')}`),
      ...rest.map(inWords),
    ],
  };
}

export function hasFailed({ status, lost, expected }: Entry): boolean {
  return lost !== null || status === null || status === 503 || !expected;
}

/**
 * True if the answer to a read request is outdated: it lacks a record that the caller has written or that existed
 * before the load test, or shows it wrongly.
 */
function isStale({ kind, status, lost, expected, defect }: Entry): boolean {
  if (kind !== 'read' || lost !== null || status === 503) return false;
  return expected ? defect !== null : status === 404 || status === 403;
}

/**
 * Returns in which way an answer to a read request is outdated: the first words of its description, or `BEHIND.lacking`
 * if a record was not found.
 */
function nameOfStale({ expected, defect }: Entry): string {
  return expected ? nameOf(defect ?? '') : BEHIND.lacking;
}

function nameOf(defect: string): string {
  return defect.split(':', 1)[0] ?? '';
}

function inWords({ check, detail }: Violation): string {
  return `${check}: ${detail}`;
}
