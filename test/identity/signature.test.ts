import { afterAll, expect, test } from '@jest/globals';
import { exportSPKI, importJWK, SignJWT } from 'jose';
import { compactToken, createTestKey, UNKNOWN_EXTENSION } from '../support/identity.ts';
import { startVerification, withVerification } from '../support/verification.ts';
import { words } from '../support/words.ts';

const SECONDS = Date.UTC(2030, 0, 1) / 1000;

const v = await startVerification();

afterAll(() => v.identity.stop());

const hostile: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['the type of an ID token', { typ: 'id+jwt' }],
  ['the type of a logout token', { typ: 'logout+jwt' }],
  ['a type that is a list', { typ: ['JWT'] }],
  ['a type that is null', { typ: null }],
  ['an unknown critical extension', { crit: [UNKNOWN_EXTENSION], [UNKNOWN_EXTENSION]: true }],
  ['an unknown key id', { kid: 'unknown' }],
  ['an empty key id', { kid: '' }],
  ['a key id that is a number', { kid: 1 }],
];
test.each(hostile)('a token with %s is refused', async (_, header) => {
  await v.refusalOf(await v.identity.token({}, { header }));
  await expect(v.callerOf({}, { header: { typ: 'JWT' } })).resolves.toMatchObject({ role: 'CLIENT' });
});

test('a token whose header has 16,384 characters is accepted, and a token with a longer header is refused', async () => {
  const [shortest = ''] = (await v.identity.token({}, { header: { x5t: '' } })).split('.');
  // 12,288 bytes are 16,384 characters of base64url.
  const rest = 12_288 - Buffer.from(shortest, 'base64url').length;
  await expect(v.callerOf({}, { header: { x5t: 'x'.repeat(rest) } })).resolves.toMatchObject({ role: 'CLIENT' });
  await v.refusalOf(await v.identity.token({}, { header: { x5t: 'x'.repeat(rest + 1) } }));
});

test('a token without a signature is refused under every spelling of "none"', async () => {
  const payload = v.adminClaims();
  for (const alg of ['none', 'None', 'NONE', '', undefined, null, ['none']]) {
    await v.refusalOf(compactToken({ alg, typ: 'JWT' }, payload, ''));
    await v.refusalOf(compactToken({ alg, typ: 'JWT' }, payload));
  }
});

test('a token that is signed with the public key as a shared secret is refused', async () => {
  const key = await createTestKey('RS256');
  const publicKey = await importJWK(key.jwk, 'RS256');
  if (publicKey instanceof Uint8Array) throw new Error('not a public key');
  await withVerification([key], async (v) => {
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(key.jwk)]) {
      const forged = new SignJWT(v.adminClaims()).setProtectedHeader({ alg: 'HS256', kid: key.kid });
      await v.refusalOf(await forged.sign(Buffer.from(secret)));
    }
    await expect(v.callerOf()).resolves.toMatchObject({ role: 'CLIENT' });
  });
});

test('a token that is signed with a shared secret is refused even if the provider publishes that secret', async () => {
  const secret = Buffer.from('0123456789abcdef0123456789abcdef');
  const oct = { kty: 'oct', k: secret.toString('base64url'), kid: 'shared', alg: 'HS256' };
  const key = await createTestKey();
  await withVerification([{ ...key, jwk: oct }, key], async (v) => {
    await v.refusalOf(
      await new SignJWT(v.adminClaims()).setProtectedHeader({ alg: 'HS256', kid: 'shared' }).sign(secret),
    );
    await expect(v.callerOf()).resolves.toMatchObject({ role: 'CLIENT' });
  });
});

test("a token that is signed with a stranger's key is refused, also with a known key id or with the key in its header", async () => {
  const [known, stranger] = [await createTestKey(), await createTestKey()];
  await withVerification([known], async (v) => {
    const own = { jwk: stranger.jwk, jku: v.identity.jwksUrl, x5u: v.identity.jwksUrl, x5c: ['MIIB'] };
    const { kid } = known;
    for (const header of [{ kid }, { kid, ...own }, { kid: undefined, ...own }, { kid: stranger.kid, ...own }]) {
      await v.refusalOf(await v.identity.token({}, { key: stranger, header }));
    }
    await expect(v.callerOf({}, { header: own })).resolves.toMatchObject({ role: 'CLIENT' });
  });
});

test('a token with an algorithm that is not accepted is refused without a request for keys', async () => {
  const key = await createTestKey('ML-DSA-44');
  await withVerification([key, await createTestKey()], async (v) => {
    await v.refusalOf(await v.identity.token({}, { key }));
    expect(v.identity.requests).toBe(0);
    await expect(v.callerOf()).resolves.toMatchObject({ role: 'CLIENT' });
  });
});

test.each(words('RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'))(
  'a token that is signed with %s is accepted',
  async (alg) => {
    const key = await createTestKey(alg);
    await withVerification([key], (v) => expect(v.callerOf()).resolves.toMatchObject({ role: 'CLIENT' }));
  },
);

test.each([undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt'])(
  'a token with the type %s is accepted',
  async (typ) => {
    await expect(v.callerOf({}, { header: { typ } })).resolves.toMatchObject({ role: 'CLIENT' });
  },
);

test("a token without a key id is accepted, whichever of the provider's keys signed it", async () => {
  const keys = [await createTestKey(), await createTestKey(), await createTestKey('RS256')];
  await withVerification(keys, async (v) => {
    for (const key of keys) {
      await expect(v.callerOf({}, { key, header: { kid: undefined } })).resolves.toMatchObject({ role: 'CLIENT' });
    }
    const expired = { exp: SECONDS - 60 };
    const refusal = await v.refusalOf(await v.identity.token(expired, { header: { kid: undefined } }));
    expect(refusal.message).toBe('the token has expired');
  });
});
