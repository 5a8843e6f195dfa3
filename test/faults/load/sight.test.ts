import { describe, expect, test } from '@jest/globals';
import { BEHIND, Sight, versionOf } from './sight.ts';
import type { Row } from './sight.ts';

/* Answers that lie to whoever has written or seen more: each lie is told by its name. */

const [MINE, THEIRS, CLAIM] = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
  '00000000-0000-4000-8000-00000000000c',
];

const site = (id: string, change: object = {}): Row => ({
  ...{ id, site_name: 'Siège', address: null, created_at: '2026-01-01T10:00:00.5Z' },
  ...{ updated_at: '2026-01-01T10:00:00.5Z', ...change },
});
const later = (change: object = {}) => ({ updated_at: '2026-01-01T10:00:00.51Z', ...change });

describe('a caller is shown', () => {
  test('their record as they wrote it, and nothing is said', () => {
    const sight = new Sight();
    sight.acknowledged('sites', site(MINE));
    expect(sight.view().record(site(MINE))).toBeNull();
    expect(sight.view().page('sites', [site(MINE), site(THEIRS)], 50)).toBeNull();
    expect(sight.view().countOfClaims(0)).toBeNull();
  });

  test.each<[string, string, (sight: Sight) => string | null]>([
    ['an older version of their record', BEHIND.old, (sight) => sight.view().record(site(MINE))],
    [
      'the new version with an old value',
      BEHIND.old,
      (sight) => sight.view().record(site(MINE, later({ address: null }))),
    ],
    ['a list with an old value', BEHIND.old, (sight) => sight.view().page('sites', [site(THEIRS), site(MINE)], 50)],
    ['a list without their record', BEHIND.lacking, (sight) => sight.view().page('sites', [], 50)],
    [
      'a full page that ends before their record, and has it not',
      BEHIND.lacking,
      (sight) => sight.view().page('sites', [site(THEIRS, { created_at: '2026-01-01T10:00:00.49Z' })], 1),
    ],
    ['fewer claims than are theirs', BEHIND.fewer, (sight) => sight.view().countOfClaims(0)],
  ])('%s: that is told', (_, lie, answer) => {
    const sight = new Sight();
    sight.acknowledged('sites', site(MINE));
    sight.begun(MINE);
    sight.acknowledged('sites', site(MINE, later({ address: 'rue Neuve' })));
    sight.acknowledged('reclamations', { ...site(CLAIM), status: 'DRAFT' });
    expect(answer(sight)).toMatch(new RegExp(`^${lie}: `));
  });

  test('a full page that ends after their record need not have it', () => {
    const sight = new Sight();
    sight.acknowledged('sites', site(MINE));
    const newer = site(THEIRS, { created_at: '2026-01-01T10:00:00.51Z' });
    expect(sight.view().page('sites', [newer], 1)).toBeNull();
  });

  test('what they have deleted: that is told, by its id and in a list', () => {
    const sight = new Sight();
    sight.acknowledged('sites', site(MINE));
    sight.begun(MINE);
    sight.deleted(MINE);
    expect(sight.view().record(site(MINE))).toMatch(new RegExp(`^${BEHIND.deleted}: `));
    expect(sight.view().page('sites', [site(MINE)], 50)).toMatch(new RegExp(`^${BEHIND.deleted}: `));
    expect(sight.view().page('sites', [], 50)).toBeNull();
  });

  test('a record of which a change had no answer as before or as after, but never back again', () => {
    const sight = new Sight();
    sight.acknowledged('sites', site(MINE));
    sight.begun(MINE);
    expect(sight.view().record(site(MINE))).toBeNull();
    expect(sight.view().record(site(MINE, later({ address: 'rue Neuve' })))).toBeNull();
    expect(sight.view().record(site(MINE))).toMatch(new RegExp(`^${BEHIND.back}: `));
  });

  test('a record of others as it was, once they have seen a later one: that is told', () => {
    const sight = new Sight();
    expect(sight.view().record(site(THEIRS, later()))).toBeNull();
    expect(sight.view().record(site(THEIRS))).toMatch(new RegExp(`^${BEHIND.back}: `));
  });
});

describe('what is under way at the same time', () => {
  test('an answer need not show what was acknowledged after it was asked for', () => {
    const sight = new Sight();
    const view = sight.view();
    sight.acknowledged('sites', site(MINE));
    expect(view.page('sites', [], 50)).toBeNull();
  });

  test('nor what was begun to be deleted meanwhile', () => {
    const sight = new Sight();
    sight.acknowledged('sites', site(MINE));
    const view = sight.view();
    sight.begun(MINE);
    expect(view.page('sites', [], 50)).toBeNull();
  });
});

test('of two versions the later one is the greater, whatever zeros a time leaves out', () => {
  const times = ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00.5Z', '2026-01-01T10:00:00.51Z'];
  expect(times.map(versionOf).sort()).toEqual(times.map(versionOf));
  expect(new Set(times.map(versionOf)).size).toBe(3);
});
