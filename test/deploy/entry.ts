import type { Entry } from '../faults/journal.ts';

/** A request of a load test that got the right answer. */
export const GOOD: Entry = {
  ...{ serial: 1, attempt: 1, operation: 'read site', kind: 'read', table: null, record: null, marker: null },
  ...{ keyed: false, status: 200, lost: null, requestId: 'r', expected: true, retryAfter: false, answer: null },
  ...{ foreign: [], defect: null, at: 1_000, ms: 10 },
};
