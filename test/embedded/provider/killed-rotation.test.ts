import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { AHEAD_MS, LONGEST_TOKEN_MS, openKeyRing, rotateKeys } from '../../../src/embedded/provider/keys.ts';
import { createScratchFolder } from '../../support/scratch.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const COMMAND = [
  ...['--import', join(ROOT, 'test', 'support', 'die-at-step.ts')],
  join(ROOT, 'src', 'commands', 'identity-rotate.ts'),
];
const HOUR_MS = 3_600_000;

let folder: string;

beforeEach(async () => {
  folder = await createScratchFolder();
});
afterEach(() => rm(folder, { recursive: true }));

/** `npm run identity:rotate`, killed before that change to a file; how it ended. */
async function rotate(dataDir: string, diesAt: number): Promise<number | string> {
  const env = { DATA_DIR: dataDir, DIES_AT: String(diesAt) };
  const failure = await promisify(execFile)(process.execPath, COMMAND, { env }).then(
    () => undefined,
    (error: unknown) => error as { readonly code: number; readonly signal: string | null },
  );
  return failure === undefined ? 0 : (failure.signal ?? failure.code);
}

const kids = async (dataDir: string): Promise<string[]> =>
  (await openKeyRing(dataDir)).published.map(({ kid }) => kid);

test('a rotation that is killed at any step leaves every key of a token that is still good', async () => {
  const now = Date.now();
  const before = join(folder, 'before');
  // The last token of the first is over since an hour, and the file goes with this rotation; the third signs.
  const second = now - LONGEST_TOKEN_MS - AHEAD_MS - HOUR_MS;
  const { signing: over } = await openKeyRing(before, second - HOUR_MS);
  const good = [
    (await rotateKeys(before, second)).kid,
    (await rotateKeys(before, now - AHEAD_MS - HOUR_MS / 2)).kid,
  ].reverse();
  let diesAt = -1;
  let how: number | string = '';
  while (how !== 0) {
    diesAt += 1;
    const dataDir = join(folder, String(diesAt));
    await cp(before, dataDir, { recursive: true });
    how = await rotate(dataDir, diesAt);
    expect([0, 'SIGKILL']).toContain(how);
    const left = await kids(dataDir);
    expect(left.slice(0, 1)).toEqual(good.slice(0, 1));
    expect(left).toEqual(expect.arrayContaining(good));
    expect(left).not.toContain(over.kid);
    // Whoever runs it again has a new key, whatever the one before has left.
    const { kid } = await rotateKeys(dataDir);
    expect(await kids(dataDir)).toEqual(expect.arrayContaining([...good, kid]));
  }
  // The half of a key, the whole of one, its name, and the removal of the old one are among them.
  expect(diesAt).toBeGreaterThan(5);
});
