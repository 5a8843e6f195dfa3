import { expect, test } from '@jest/globals';
import { resultOf } from '../../deploy/check/accounts.ts';
import { violationsOf } from '../../deploy/check/fault.ts';
import type { Result } from '../../deploy/check/fault.ts';
import { tableOf } from '../../deploy/check/table.ts';
import { GOOD } from './entry.ts';

const NOTHING: Result = { requests: 1, failed: 0, lost: 0, stale: 0, foreign: 0, backAfterMs: 0 };

test('deploy:check counts failed requests, and the time from a failure that it causes to the last failed request', () => {
  const late = { ...GOOD, status: 503, at: 2_000, ms: 500 };
  const cut = { ...GOOD, status: null, lost: 'ECONNRESET', at: 1_100, ms: 5 };
  expect(resultOf([GOOD, late, cut], [], 900)).toMatchObject({
    requests: 3,
    failed: 2,
    backAfterMs: 1_600,
  });
});

test('deploy:check does not count a health check as a request', () => {
  expect(resultOf([{ ...GOOD, operation: 'health', status: 503 }], [], 900)).toMatchObject({
    requests: 0,
    failed: 0,
  });
});

test('deploy:check counts and reports an answer with an unexpected status as failed, and not as stale', () => {
  const entry = { ...GOOD, status: 500, expected: false, defect: 'an error' };
  const check = 'each answer has an expected status or 503, or 429 with Retry-After if the fault may fail the request';
  const result = resultOf([entry], [{ check, detail: 'read site was answered 500: an error' }], 900);
  expect(result).toMatchObject({ failed: 1, stale: 0 });
  expect(violationsOf({}, result)).toEqual([`${check}: read site was answered 500: an error`]);
});

test('deploy:check counts an acknowledged write that is missing as lost', () => {
  const detail = 'create site x: 0 rows';
  const result = resultOf([GOOD], [{ check: 'each acknowledged creation is stored once', detail }], 900);
  expect(result.lost).toBe(1);
  expect(violationsOf({}, result)).toEqual([
    '1 lost',
    '1 × each acknowledged creation is stored once',
    `each acknowledged creation is stored once: ${detail}`,
  ]);
});

test('deploy:check reports a database lock that is still held after a failure that deploy:check caused', () => {
  const result = resultOf([GOOD], [{ check: 'no lock is left in the database', detail: 'one' }], 900);
  expect(result).toMatchObject(NOTHING);
  expect(violationsOf({}, result)).toEqual(['no lock is left in the database: one']);
});

test('deploy:check reports a result, such as the number of failed requests, only if it exceeds the limit for that failure', () => {
  const result = { ...NOTHING, failed: 2, backAfterMs: 100, failures: ['read site: 503'] };
  expect(violationsOf({ bounds: { failed: 2, backAfterMs: 100 } }, result)).toEqual([]);
  expect(violationsOf({ bounds: { failed: 1, backAfterMs: 99 } }, result)).toEqual([
    'failed is 2, and may be 1',
    'read site: 503',
    'backAfterMs is 100, and may be 99',
  ]);
});

test('the table of deploy:check has a line for each planned failure, even for one that could not be caused', () => {
  const fault = { part: 'api', fault: 'killed', run: () => Promise.resolve(NOTHING) };
  const rows = [
    { fault, result: { ...NOTHING, backAfterMs: 19_340 } },
    { fault, result: undefined },
  ];
  expect(tableOf(rows).split('\n')).toEqual([
    'part  fault   requests  failed  lost  stale  foreign  back after',
    'api   killed         1       0     0      0        0      19.3 s',
    'api   killed         -       -     -      -        -           -',
  ]);
});
