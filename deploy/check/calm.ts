import { setTimeout as delay } from 'node:timers/promises';
import { HEALTH, readJournal } from '../../test/faults/journal.ts';
import type { Entry } from '../../test/faults/journal.ts';
import { hasFailed } from './accounts.ts';

/**
 * A load test counts as calm if, for this number of milliseconds, no request has failed and at least one request of
 * each kind (a read or an upload, for example) has succeeded.
 */
export const QUIET_MS = 3_000;
const SIGNS: Readonly<Record<string, (entry: Entry) => boolean>> = {
  read: ({ kind }) => kind === 'read',
  write: (entry) => isWrite(entry) && entry.operation !== 'upload',
  upload: ({ operation }) => operation === 'upload',
  download: ({ operation }) => operation === 'download',
  refusal: ({ kind }) => kind === 'refuse',
};
/**
 * After a failure that a test causes, the load test must be without failed requests again within this number of
 * milliseconds.
 */
const BACK_MS = 75_000;

/** Returns in words why a load test is not calm, for example which requests have failed lately; empty if it is calm. */
export function unrestIn(entries: readonly Entry[], now: number): readonly string[] {
  const late = entries.filter(({ at, ms }) => at + ms > now - QUIET_MS);
  const requests = late.filter(({ operation }) => operation !== HEALTH);
  const failures = requests.filter(hasFailed);
  const missing = Object.entries(SIGNS).filter(([, isSign]) => !requests.some(isSign));
  return [
    ...failures.map(({ operation, status, lost }) => `${operation}: ${lost ?? String(status)}`),
    ...missing.map(([name]) => `no ${name} was answered`),
    ...(late.some(({ operation, status }) => operation === HEALTH && status === 200)
      ? []
      : ['/health was not answered with 200']),
  ];
}

export function isWrite({ kind }: Entry): boolean {
  return kind !== 'read' && kind !== 'refuse';
}

export function isAcknowledgedWrite(entry: Entry): boolean {
  const { status, lost } = entry;
  return isWrite(entry) && lost === null && status !== null && status < 300;
}

/**
 * Waits until the requests of a load test no longer fail. If the wait takes too long, returns in words what still
 * fails.
 */
export async function untilCalm(journal: string, since: number): Promise<readonly string[]> {
  const end = Date.now() + BACK_MS;
  for (;;) {
    await delay(250);
    const now = Date.now();
    const entries = (await readJournal(journal)).filter(({ at }) => at >= since);
    const unrest = now - since < QUIET_MS ? ['the load test has just begun'] : unrestIn(entries, now);
    if (unrest.length === 0) return [];
    if (now > end) return unrest.map((one) => `the load test is not calm after ${BACK_MS / 1000} s: ${one}`);
  }
}
