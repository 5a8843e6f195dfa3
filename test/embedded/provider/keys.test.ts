import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { pino } from 'pino';
import {
  AHEAD_MS,
  LONGEST_TOKEN_MS,
  openKeyRing,
  rotateKeys,
  rotateOldKeys,
  SIGNS_MS,
} from '../../../src/embedded/provider/keys.ts';
import { openTokenSigner } from '../../../src/embedded/provider/signer.ts';
import { startEmbeddedProvider } from '../../../src/embedded/provider/start.ts';
import { createTokenVerifier } from '../../../src/identity/token-verifier.ts';
import { logIn } from '../../support/login.ts';
import { openProviderWorld } from '../../support/provider.ts';
import { createScratchFolder } from '../../support/scratch.ts';

const log = pino({ level: 'silent' });
const START = Date.UTC(2026, 0, 1);

let dataDir: string;
let folder: string;

beforeEach(async () => {
  dataDir = await createScratchFolder();
  folder = join(dataDir, 'identity');
});
afterEach(() => rm(dataDir, { recursive: true }));

/** The key that signs, and those that are published, as letters in the order in which they were made. */
async function ringAt(now: number, made: readonly string[]): Promise<string> {
  const letter = (kid: string): string => 'ABCDEF'[made.indexOf(kid)] ?? '?';
  const { signing, published } = await openKeyRing(dataDir, now);
  return `${letter(signing.kid)} of ${published.map(({ kid }) => letter(kid)).join('')}`;
}

describe('a rotation', () => {
  test('publishes the new key before it signs, and the old one until its last token is over', async () => {
    const first = (await openKeyRing(dataDir, START)).signing.kid;
    const second = (await rotateKeys(dataDir, START + 1_000)).kid;
    const made = [first, second];
    const signs = START + 1_000 + AHEAD_MS;
    expect(await ringAt(START + 1_000, made)).toBe('A of AB');
    expect(await ringAt(signs - 1, made)).toBe('A of AB');
    expect(await ringAt(signs, made)).toBe('B of BA');
    expect(await ringAt(signs + LONGEST_TOKEN_MS, made)).toBe('B of BA');
    expect(await ringAt(signs + LONGEST_TOKEN_MS + 1, made)).toBe('B of B');
  });

  test('removes the file of a key of which the last token is over, and no other', async () => {
    await openKeyRing(dataDir, START);
    const second = await rotateKeys(dataDir, START + 1);
    const third = await rotateKeys(dataDir, START + 1 + AHEAD_MS + LONGEST_TOKEN_MS + 1);
    expect((await readdir(folder)).sort()).toEqual(
      [second, third].map(({ kid }) => `signing-key-${kid}.json`).sort(),
    );
  });

  test('comes by itself when the newest key is ninety days old, and once', async () => {
    await openKeyRing(dataDir, START);
    expect(await rotateOldKeys(dataDir, START + SIGNS_MS - 1)).toBeUndefined();
    expect(await rotateOldKeys(dataDir, START + SIGNS_MS)).toBeDefined();
    expect(await rotateOldKeys(dataDir, START + SIGNS_MS)).toBeUndefined();
  });

  test('that is cut off leaves what was there: a file beside the keys is none', async () => {
    const { signing } = await openKeyRing(dataDir, START);
    for (const name of ['signing-key-x.json.0b9e', '.signing-key.json', 'signing-key.json.tmp'])
      await writeFile(join(folder, name), '{"half');
    expect((await openKeyRing(dataDir, START + SIGNS_MS)).published).toEqual([signing]);
  });

  test('keeps the one key that the release before has left, by the date of its file', async () => {
    await openKeyRing(dataDir);
    const file = join(folder, 'signing-key.json');
    const before = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    delete before['madeAt'];
    await writeFile(file, JSON.stringify(before));
    await utimes(file, START / 1_000, START / 1_000);
    const { signing } = await openKeyRing(dataDir, START);
    expect([signing.kid, signing.madeAt]).toEqual([before['kid'], START]);
    const { kid } = await rotateKeys(dataDir, START + 1);
    expect(await ringAt(START + 1 + AHEAD_MS, [signing.kid, kid])).toBe('B of BA');
  });

  test('by hand says from when on the new key signs, and is refused where the provider is another', async () => {
    await openKeyRing(dataDir);
    const command = join(import.meta.dirname, '..', '..', '..', 'src', 'commands', 'identity-rotate.ts');
    const run = (environment: Record<string, string>) =>
      promisify(execFile)(process.execPath, [command], { env: { DATA_DIR: dataDir, ...environment } });
    const { stdout } = await run({});
    const newest = (await openKeyRing(dataDir)).published[1];
    expect(stdout).toContain(newest?.kid);
    expect(stdout).toContain(new Date((newest?.madeAt ?? 0) + AHEAD_MS).toISOString());
    expect((await stat(join(folder, `signing-key-${newest?.kid ?? ''}.json`))).mode & 0o777).toBe(0o600);
    const elsewhere = { AUTH_ISSUER: 'https://idp.example', AUTH_AUDIENCE: 'x' };
    await expect(run(elsewhere)).rejects.toMatchObject({ code: 2, stdout: '' });
  });
});

test('tokens of the key before are believed after a rotation, and new ones bear the new key', async () => {
  const past = Date.now() - 2 * AHEAD_MS;
  const before = (await openKeyRing(dataDir, past)).signing.kid;
  const options = { dataDir, port: 0, log };
  const first = await startEmbeddedProvider(options);
  const request = { subject: 'idp|claire', role: 'CLIENT', clientAccess: [] } as const;
  const old = await first.sign(request);
  await first.close();
  await rotateKeys(dataDir, past + 1);

  const provider = await startEmbeddedProvider({ ...options, port: Number(new URL(first.issuer).port) });
  try {
    const { issuer, audience, jwksUrl } = provider;
    const names = { roleClaim: 'role', clientAccessClaim: 'client_access' };
    const verifier = createTokenVerifier({ issuer, audience, jwksUrl, ...names, log });
    const fresh = await provider.sign(request);
    expect(decodeProtectedHeader(old).kid).toBe(before);
    expect(decodeProtectedHeader(fresh).kid).not.toBe(before);
    for (const token of [old, fresh])
      await expect(verifier.verify(token)).resolves.toMatchObject({ subject: 'idp|claire' });
    const signer = await openTokenSigner({ dataDir, issuer });
    expect(decodeProtectedHeader(await signer.sign(request)).kid).toBe(decodeProtectedHeader(fresh).kid);
  } finally {
    await provider.close();
  }
});

test('a provider that runs publishes a new key, and signs with it in its time, without a restart', async () => {
  const world = await openProviderWorld();
  const clock = jest.spyOn(Date, 'now');
  try {
    const { issuer, jwksUrl } = world.provider;
    const { email, password } = await world.person();
    const start = performance.timeOrigin + performance.now();
    const published = async (): Promise<string[]> => {
      const { keys } = (await (await fetch(jwksUrl)).json()) as { keys: { kid: string }[] };
      return keys.map(({ kid }) => kid);
    };
    const signedWith = async (): Promise<unknown[]> => {
      const tokens = await logIn(issuer, email, password);
      return [tokens.access_token, tokens.id_token].map((token) => decodeProtectedHeader(token).kid);
    };
    const [before = ''] = await published();
    const { kid } = await rotateKeys(world.dataDir);
    clock.mockReturnValue(start + 2 * 60_000);
    expect(await published()).toEqual([before, kid]);
    expect(await signedWith()).toEqual([before, before]);
    clock.mockReturnValue(start + AHEAD_MS + 2 * 60_000);
    expect(await signedWith()).toEqual([kid, kid]);
    expect(await published()).toEqual([kid, before]);
  } finally {
    clock.mockRestore();
    await world.close();
  }
});
