import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { chooseIssuerUrl } from '../../src/demo/provider/address.ts';
import { openSigningKey, openSigner } from '../../src/demo/provider/key.ts';
import type { TokenRequest, TokenSigner } from '../../src/demo/provider/key.ts';
import type { EmbeddedProvider } from '../../src/demo/provider/start.ts';
import { startProvider, verifierOf } from '../support/provider.ts';
import { createScratchFolder } from '../support/scratch.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const ISSUER = 'http://127.0.0.1:3001';
const SOMEBODY: TokenRequest = {
  ...{ subject: 'local|claire', role: 'CLIENT', clientAccess: [A] },
  ...{ email: 'claire@example.com', name: 'Claire Dupont' },
};

let dataDir: string;
let keyFile: string;

beforeEach(async () => {
  dataDir = await createScratchFolder();
  keyFile = join(dataDir, 'identity', 'signing-key.json');
});

afterEach(() => rm(dataDir, { recursive: true }));

const signerOf = (issuer = ISSUER, folder = dataDir): Promise<TokenSigner> =>
  openSigner(folder, issuer, { role: 'role', clientAccess: 'client_access' });

async function withProvider(work: (provider: EmbeddedProvider) => Promise<void>): Promise<void> {
  const provider = await startProvider({ DATA_DIR: dataDir });
  await work(provider).finally(() => provider.close());
}

test('the service accepts a token of the embedded identity provider after restarts, even a token that was signed before the first start', async () => {
  const issuer = await chooseIssuerUrl(dataDir, undefined);
  const signer = await signerOf(issuer);
  const signedBefore = await signer.sign(SOMEBODY);
  for (let start = 1; start <= 2; start += 1) {
    await withProvider(async (provider) => {
      await expect(verifierOf(provider).verify(signedBefore)).resolves.toMatchObject(SOMEBODY);
    });
  }
});

test('the embedded identity provider publishes its public key without any private member', async () => {
  await withProvider(async (provider) => {
    const published = (await (await fetch(provider.jwksUrl)).json()) as { keys: object[] };
    expect(published.keys.map((key) => Object.keys(key).sort())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ]);
    const { d } = JSON.parse(await readFile(keyFile, 'utf8')) as { d: string };
    expect(d).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(published)).not.toContain(d);
    for (const path of ['/', '/.well-known/', '/signing-key.json', '/.well-known/../identity/signing-key.json']) {
      expect((await fetch(new URL(path, provider.jwksUrl))).status).toBe(404);
    }
  });
});

test('only the owner can read the embedded identity provider’s key file, and no other file is in its folder', async () => {
  await signerOf();
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  expect((await stat(join(dataDir, 'identity'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(dataDir, 'identity'))).toEqual(['signing-key.json']);
});

test('a DATA_DIR that the embedded identity provider creates has the usual permissions, so that the embedded Postgres can use it', async () => {
  const inner = join(dataDir, 'a', 'b');
  await signerOf(ISSUER, inner);
  const ordinary = join(dataDir, 'ordinary');
  await mkdir(ordinary);
  expect((await stat(inner)).mode).toBe((await stat(ordinary)).mode);
});

test('twenty simultaneous starts of the embedded identity provider use one signing key', async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, () => openSigningKey(dataDir)));
  expect(new Set(keys.map(({ d }) => d)).size).toBe(1);
  expect(await readdir(join(dataDir, 'identity'))).toEqual(['signing-key.json']);
});

test('with a damaged key file the embedded identity provider does not start, names the file, and leaves the file unchanged', async () => {
  await signerOf();
  for (const damage of ['', '{', 'null', '{"kty":"EC"}', '{"kty":"oct","k":"AAAA","kid":"x"}']) {
    await writeFile(keyFile, damage);
    await expect(signerOf()).rejects.toThrow(keyFile);
    expect(await readFile(keyFile, 'utf8')).toBe(damage);
  }
});
