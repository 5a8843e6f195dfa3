import { expect, test } from '@jest/globals';
import { entryOf, objectionsToEntry, otherVersions, read } from '../../deploy/release/check.ts';
import { VERSION } from '../../src/version.ts';

const ENTRY =
  '# Changelog\n\nWords.\n\n## 2.1.0\n\n### Upgrading\n\n- Nothing.\n\n### More\n\n## 2.0.0\n\n### Upgrading\n\n- Nothing.\n';

test('every file that names the service’s version names that of package.json, and npm run release reports differing files', async () => {
  expect(await otherVersions(VERSION)).toEqual([]);
  expect(await otherVersions('9.9.9')).toEqual([
    `package-lock.json names ${VERSION}, ${VERSION}`,
    `Dockerfile names ${VERSION}`,
    expect.stringMatching(/^docker-compose.yml names /),
    expect.stringMatching(/^deploy\/compose\/docker-compose.yml names /),
  ]);
});

test('CHANGELOG.md has an entry for this version that begins with the upgrade steps of an operator', async () => {
  expect(entryOf(await read('CHANGELOG.md'), VERSION)).toMatch(/^### Upgrading\n\n\S/);
});

test('npm run release accepts a version if the first entry of CHANGELOG.md is about this version', () => {
  expect(objectionsToEntry(ENTRY, '2.1.0')).toEqual([]);
  expect(entryOf(ENTRY, '2.1.0')).toBe('### Upgrading\n\n- Nothing.\n\n### More');
});

test.each([
  ['2.2.0', ENTRY, ['CHANGELOG.md has no entry for 2.2.0']],
  ['2.1', ENTRY, ['package.json has 2.1, which is no version as 2.0.0 is', 'CHANGELOG.md has no entry for 2.1']],
  ['2.0.0', ENTRY, ['CHANGELOG.md has "2.1.0" above 2.0.0']],
  [
    '2.1.0',
    ENTRY.replace('## 2.1.0', '## Unreleased\n\n- A line.\n\n## 2.1.0'),
    ['CHANGELOG.md has "Unreleased" above 2.1.0'],
  ],
  ['2.1.0', ENTRY.replace('### Upgrading', '### News'), ['the entry for 2.1.0 does not begin with "### Upgrading"']],
  ['2.1.0', ENTRY.replace('- Nothing.\n\n', ''), ['the entry for 2.1.0 says nothing below "### Upgrading"']],
  [
    '2.1.0',
    '# Changelog\n\n## 2.1.0\n\n### Upgrading\n\n## 2.0.0\n\n- Nothing.\n',
    ['the entry for 2.1.0 says nothing below "### Upgrading"'],
  ],
])(
  'npm run release refuses the version %s if CHANGELOG.md does not begin with a complete entry for this version',
  (version, changelog, objections) => {
    expect(objectionsToEntry(changelog, version)).toEqual(objections);
  },
);
