import type { Entry } from '../faults/journal.ts';

/** An entry in the journal of a load test: a read request with the expected answer, except for the given values. */
export const entryWith = (change: Partial<Entry> = {}): Entry => ({
  ...{ serial: 1, attempt: 1, operation: 'read site', kind: 'read', table: null, record: null, marker: null },
  ...{ keyed: false, status: 200, lost: null, requestId: 'r', expected: true, retryAfter: false, answer: null },
  ...{ foreign: [], defect: null, at: 1_000, ms: 10 },
  ...change,
});
