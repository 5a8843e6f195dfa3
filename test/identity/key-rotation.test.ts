import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { exportJWK } from 'jose';
import { createTestKey } from '../support/identity.ts';
import { startVerification } from '../support/verification.ts';
import type { Verification } from '../support/verification.ts';

const MINUTE = 60;
const ACCEPTED = { subject: 'idp|somebody' };
const REFUSED = { code: 'ERROR_UNAUTHORIZED' };

let v: Verification;

beforeEach(async () => {
  v = await startVerification();
});

afterEach(() => v.identity.stop());

test('a token that is signed with the provider’s new key is accepted at once, after each rotation of the keys', async () => {
  for (let rotation = 1; rotation <= 4; rotation += 1) {
    await expect(v.callerOf()).resolves.toMatchObject(ACCEPTED);
    expect(v.identity.requests).toBe(rotation);
    await v.identity.rotate();
  }
});

test('a token without a key id is accepted after the provider has replaced its only key', async () => {
  const [first, second] = [await createTestKey(), await createTestKey()];
  const header = { kid: undefined };
  v.identity.publish(first);
  await expect(v.callerOf({}, { header })).resolves.toMatchObject(ACCEPTED);
  v.identity.publish(second);
  await expect(v.callerOf({}, { header })).resolves.toMatchObject(ACCEPTED);
  await expect(v.callerOf({}, { key: first, header })).rejects.toMatchObject(REFUSED);
});

test('a token of a key that the provider withdrew is refused after the next refresh, even if it was accepted before', async () => {
  const old = await createTestKey();
  v.identity.publish(old);
  const token = await v.identity.token();
  await expect(v.verifier.verify(token)).resolves.toMatchObject(ACCEPTED);
  await v.identity.rotate();
  await expect(v.verifier.verify(token)).resolves.toMatchObject(ACCEPTED);

  await expect(v.callerOf()).resolves.toMatchObject(ACCEPTED);
  await v.refusalOf(token);
  v.identity.publish(old, await createTestKey());
  v.clock.advance(31);
  await expect(v.verifier.verify(token)).resolves.toMatchObject(ACCEPTED);
});

test('after an hour without requests, the service refuses even the first token of a key that the provider withdrew', async () => {
  const old = await createTestKey();
  v.identity.publish(old);
  const claims = { exp: v.clock() / 1000 + 86_400 };
  const token = await v.identity.token(claims);
  await expect(v.verifier.verify(token)).resolves.toMatchObject(ACCEPTED);
  await v.identity.rotate();
  v.clock.advance(60 * MINUTE);
  const outcomes = await Promise.allSettled([v.verifier.verify(token), v.verifier.verify(token)]);
  expect(outcomes).toMatchObject([{ reason: REFUSED }, { reason: REFUSED }]);
  await expect(v.callerOf()).resolves.toMatchObject(ACCEPTED);
});

test('tokens of known keys are accepted for as long as the provider is unreachable', async () => {
  const claims = { exp: v.clock() / 1000 + 30 * 86_400 };
  const tokens = [await v.identity.token(claims), await v.identity.token({ ...claims, name: 'another' })];
  await v.verifier.verify(String(tokens[0]));
  await v.identity.stop();
  for (const minutes of [0, 11, 11, 24 * 60, 6]) {
    v.clock.advance(minutes * MINUTE);
    for (const token of tokens) await expect(v.verifier.verify(token)).resolves.toMatchObject(ACCEPTED);
  }
  await v.identity.start();
  await v.identity.rotate();
  v.clock.advance(MINUTE);
  await expect(v.callerOf()).resolves.toMatchObject(ACCEPTED);
  await v.refusalOf(String(tokens[0]));
});

test('tokens of known keys are accepted while the provider answers with errors or invalid documents', async () => {
  const token = await v.identity.token({ exp: v.clock() / 1000 + 86_400 });
  await v.verifier.verify(token);
  const answers: readonly (readonly [number, string, Record<string, string>?])[] = [
    [500, '{"keys":[]}'],
    [404, ''],
    [204, ''],
    [200, ''],
    [200, '<html>'],
    [200, 'null'],
    [200, '[]'],
    [200, '{"keys":{}}'],
    [200, '{"keys":[1]}'],
    [200, `{"keys":[],"padding":"${'x'.repeat(10_000_000)}"}`],
    [302, '', { location: `${v.identity.jwksUrl}?elsewhere` }],
  ];
  for (const [status, body, headers] of answers) {
    v.identity.answerWith((_, response) => response.writeHead(status, headers).end(body));
    v.clock.advance(25 * MINUTE);
    await expect(v.verifier.verify(token)).resolves.toMatchObject(ACCEPTED);
  }
  expect(v.identity.requests).toBe(1 + answers.length);
});

test('a provider’s published key set replaces the known keys only if it has at least one usable key', async () => {
  const token = await v.identity.token({ exp: v.clock() / 1000 + 86_400 });
  await v.verifier.verify(token);
  const good = (await createTestKey('RS256')).jwk;
  const unusable: Readonly<Record<string, object[]>> = {
    'no key': [],
    'a shared secret': [{ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }],
    'a key of an unknown type': [{ kty: 'XYZ', kid: 'a' }, {}],
    'a key to encrypt with': [{ ...good, use: 'enc' }],
    'a key for other operations': [{ ...good, key_ops: ['encrypt'] }],
    'a key of another algorithm': [{ ...good, alg: 'RSA-OAEP' }],
    'a key without its modulus': [{ ...good, n: undefined }],
    'a key that is not on its curve': [{ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }],
    'a private key': [await exportJWK((await createTestKey()).privateKey)],
    'a short key': [{ ...good, n: good.n?.slice(0, 171) }],
  };
  for (const [what, keys] of Object.entries(unusable)) {
    v.identity.answerWith((_, response) => response.end(JSON.stringify({ keys })));
    v.clock.advance(25 * MINUTE);
    const outcome = await v.verifier.verify(token).catch(() => 'refused');
    expect([what, outcome]).toEqual([what, expect.objectContaining(ACCEPTED)]);
  }
  expect(v.identity.requests).toBe(1 + Object.keys(unusable).length);
  // A key set with one usable key replaces the old keys, even if everything else in it is an unusable key or no key.
  const noKeys = [null, 0, '', 'key', [], {}, { kty: null }, { ...good, kty: 7 }, { ...good, key_ops: 7, x5c: 'x' }];
  const keys = [...noKeys, good, ...Object.values(unusable).flat()];
  v.identity.answerWith((_, response) => response.end(JSON.stringify({ keys })));
  v.clock.advance(25 * MINUTE);
  await v.refusalOf(token);
});

test('callers with a token get 503 until the provider can be reached for the first time', async () => {
  const token = await v.identity.token();
  await v.identity.stop();
  const unavailable = { code: 'ERROR_UNAVAILABLE', status: 503, headers: { 'Retry-After': '5' } };
  await expect(v.verifier.verify(token)).rejects.toMatchObject(unavailable);
  await v.identity.start();
  await expect(v.verifier.verify(token)).rejects.toMatchObject(unavailable);
  expect(v.identity.requests).toBe(0);
  v.clock.advance(2);
  await expect(v.verifier.verify(token)).resolves.toMatchObject(ACCEPTED);
});

test('a bearer text that is not a token gets a refusal, not a 503, while the provider is unreachable', async () => {
  await v.identity.stop();
  await v.refusalOf('no.to.ken');
});

test('tokens with unknown key ids cause at most one request to the provider in 30 seconds', async () => {
  const stranger = await createTestKey();
  await v.callerOf();
  const flood = async (): Promise<void> => {
    const tokens = Array.from({ length: 100 }, (_, index) =>
      v.identity.token({}, { key: stranger, header: { kid: `unknown-${index}` } }),
    );
    await Promise.all(tokens.map(async (token) => v.refusalOf(await token)));
  };
  await flood();
  await flood();
  expect(v.identity.requests).toBe(2);
  v.clock.advance(31);
  await flood();
  expect(v.identity.requests).toBe(3);
});

test('tokens with unknown key ids cause one request to an unreachable provider, and known keys stay accepted', async () => {
  const stranger = await createTestKey();
  await v.callerOf();
  v.identity.answerWith((_, response) => response.socket?.destroy());
  for (let count = 0; count < 20; count += 1) {
    await expect(v.callerOf({}, { key: stranger })).rejects.toMatchObject(REFUSED);
    await expect(v.callerOf()).resolves.toMatchObject(ACCEPTED);
  }
  expect(v.identity.requests).toBe(2);
});

test('the first tokens of 50 simultaneous callers cause one request to the provider', async () => {
  await Promise.all(Array.from({ length: 50 }, () => v.callerOf()));
  expect(v.identity.requests).toBe(1);
});
