import { expect, test } from '@jest/globals';
import { QUIET_MS, unrestIn } from '../../deploy/check/calm.ts';
import type { Entry, Kind } from '../faults/journal.ts';
import { GOOD } from './entry.ts';

const NOW = 100_000;

const entry = (operation: string, kind: Kind, change: Partial<Entry> = {}): Entry => ({
  ...GOOD,
  ...{ operation, kind, at: NOW - 100, ...change },
});
const CALM = [
  ...[entry('read site', 'read'), entry('create site', 'create'), entry('upload', 'create')],
  ...[entry('download', 'read'), entry('ask without a token', 'refuse'), entry('health', 'read')],
];

test('deploy:check causes the next failure if each kind of request of its load test got an answer in the last seconds', () => {
  expect(unrestIn(CALM, NOW)).toEqual([]);
});

test.each([
  ['health', ['/health was not answered with 200']],
  ['upload', ['no upload was answered']],
  ['download', ['no download was answered']],
  ['create site', ['no write was answered']],
  ['ask without a token', ['no refusal was answered']],
])('deploy:check causes no further failure until a request of the kind "%s" got an answer', (name, unrest) => {
  expect(
    unrestIn(
      CALM.filter(({ operation }) => operation !== name),
      NOW,
    ),
  ).toEqual(unrest);
});

test('deploy:check causes the next failure only some time after the last failed request of its load test', () => {
  const failure = entry('read claims', 'read', { status: 503, at: NOW - QUIET_MS - 10, ms: 11 });
  expect(unrestIn([...CALM, failure], NOW)).toEqual(['read claims: 503']);
  expect(unrestIn([...CALM, failure], NOW + 1)).toEqual([]);
});

test('deploy:check causes no further failure while its load test gets no answers any more', () => {
  expect(unrestIn(CALM, NOW + QUIET_MS)).toHaveLength(6);
});
