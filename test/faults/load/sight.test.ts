import { expect, test } from '@jest/globals';
import { BEHIND, Sight, versionOf } from './sight.ts';
import type { Row } from './sight.ts';

/*
 * A load test must report an answer as outdated if the answer shows a state from before the same caller’s last write or
 * read. These tests give invented answers to this check, and test/deploy/lies.test.ts gives it further ones.
 */

const MINE = '00000000-0000-4000-8000-00000000000a';
const THEIRS = '00000000-0000-4000-8000-00000000000b';

const site = (id: string, change: object = {}): Row => ({
  ...{ id, site_name: 'Siège', address: null, created_at: '2026-01-01T10:00:00.5Z' },
  ...{ updated_at: '2026-01-01T10:00:00.5Z', ...change },
});
const later = (change: object = {}) => ({ updated_at: '2026-01-01T10:00:00.51Z', ...change });

test('the load test reports a full page that lacks a record of the caller, unless all its records are newer', () => {
  const sight = new Sight();
  sight.acknowledged('sites', site(MINE));
  const pageWith = (created_at: string) => sight.view().page('sites', [site(THEIRS, { created_at })], 1);
  expect(pageWith('2026-01-01T10:00:00.49Z')).toMatch(new RegExp(`^${BEHIND.lacking}: `));
  expect(pageWith('2026-01-01T10:00:00.51Z')).toBeNull();
});

test('the load test reports an answer that still shows a record that the caller has deleted, alone or in a list', () => {
  const sight = new Sight();
  sight.acknowledged('sites', site(MINE));
  sight.begun(MINE);
  sight.deleted(MINE);
  expect(sight.view().record(site(MINE))).toMatch(new RegExp(`^${BEHIND.deleted}: `));
  expect(sight.view().page('sites', [site(MINE)], 50)).toMatch(new RegExp(`^${BEHIND.deleted}: `));
  expect(sight.view().page('sites', [], 50)).toBeNull();
});

test('if a change got no answer, the load test accepts the old or the new record, but not the old record after the new one was read', () => {
  const sight = new Sight();
  sight.acknowledged('sites', site(MINE));
  sight.begun(MINE);
  expect(sight.view().record(site(MINE))).toBeNull();
  expect(sight.view().record(site(MINE, later({ address: 'rue Neuve' })))).toBeNull();
  expect(sight.view().record(site(MINE))).toMatch(new RegExp(`^${BEHIND.back}: `));
});

test('the load test reports an answer that shows another user’s record in an older version than the caller has already read', () => {
  const sight = new Sight();
  expect(sight.view().record(site(THEIRS, later()))).toBeNull();
  expect(sight.view().record(site(THEIRS))).toMatch(new RegExp(`^${BEHIND.back}: `));
});

test('the load test accepts a list without a record that was created after the list was requested', () => {
  const sight = new Sight();
  const view = sight.view();
  sight.acknowledged('sites', site(MINE));
  expect(view.page('sites', [], 50)).toBeNull();
});

test('the load test accepts a list without a record that was deleted after the list was requested', () => {
  const sight = new Sight();
  sight.acknowledged('sites', site(MINE));
  const view = sight.view();
  sight.begun(MINE);
  expect(view.page('sites', [], 50)).toBeNull();
});

test('the load test accepts a time that an instance of release 3 shows in milliseconds after release 2 showed its microseconds', () => {
  const sight = new Sight();
  const at = (updated_at: string) => site(MINE, { updated_at });
  sight.acknowledged('sites', at('2026-01-01T10:00:00.859164Z'));
  expect(sight.view().record(at('2026-01-01T10:00:00.859Z'))).toBeNull();
  expect(sight.view().record(at('2026-01-01T10:00:00.858999Z'))).toMatch(BEHIND.old);
});

test('the load test compares the times in updated_at correctly, even if a time omits trailing zeros of its seconds', () => {
  const times = ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00.5Z', '2026-01-01T10:00:00.51Z'];
  expect(times.map(versionOf).sort()).toEqual(times.map(versionOf));
  expect(new Set(times.map(versionOf)).size).toBe(3);
});
