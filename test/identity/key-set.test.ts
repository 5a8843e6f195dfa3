import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createKeySet } from '../../src/identity/key-set.ts';
import type { KeySet } from '../../src/identity/key-set.ts';
import { createTestKey, startTestIdentity } from '../support/identity.ts';
import type { TestIdentity } from '../support/identity.ts';

const MINUTE = 60_000;
const NEVER = 3_600_000;

let identity: TestIdentity;
let now: number;

beforeEach(async () => {
  identity = await startTestIdentity();
  now = Date.UTC(2030, 0, 1);
});

afterEach(() => identity.stop());

function keySetOf(fetchTimeoutMs: number): KeySet {
  const findUrl = () => Promise.resolve(identity.jwksUrl);
  return createKeySet({ findUrl, log: pino({ level: 'silent' }), fetchTimeoutMs, now: () => now });
}

async function untilAsked(times: number): Promise<void> {
  while (identity.requests < times) await new Promise((resolve) => setImmediate(resolve));
}

test('a request whose token has a known key does not wait for the refresh of the provider’s keys', async () => {
  const keySet = keySetOf(NEVER);
  const keys = await keySet.current();
  now += 9 * MINUTE;
  await keySet.current();
  expect(identity.requests).toBe(1);
  const held: ServerResponse[] = [];
  identity.answerWith((_, response) => held.push(response));
  now += 2 * MINUTE;
  expect(await keySet.current()).toBe(keys);
  expect(await keySet.current()).toBe(keys);
  await untilAsked(2);
  await identity.rotate();
  identity.answerWith(undefined);
  held[0]?.end(JSON.stringify({ keys: [identity.key.jwk] }));
  while ((await keySet.current()) === keys) await new Promise((resolve) => setImmediate(resolve));
  expect(held).toHaveLength(1);
});

test('the service requests newer keys from an unreachable provider at most once in 30 seconds', async () => {
  const keySet = keySetOf(NEVER);
  await keySet.current();
  identity.answerWith((_, response) => response.socket?.destroy());
  now += 11 * MINUTE;
  const renewed = keySet.current();
  await untilAsked(2);
  await renewed;
  for (let count = 0; count < 200; count += 1) {
    await keySet.current();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(identity.requests).toBe(2);
  now += 31_000;
  await keySet.current();
  await untilAsked(3);
});

test('the service’s request for the provider’s keys times out if the provider hangs before or within its answer', async () => {
  const silences = [
    () => undefined,
    (_: unknown, response: ServerResponse) => response.write('{"keys":['),
    (_: unknown, response: ServerResponse) => response.writeHead(500).write('.'),
  ];
  for (const silence of silences) {
    identity.answerWith(silence);
    await expect(keySetOf(50).current()).rejects.toMatchObject({ code: 'ERROR_UNAVAILABLE' });
  }
  identity.answerWith(undefined);
  await expect(keySetOf(NEVER).current()).resolves.toBeDefined();
});

test('a provider’s keys in another order or with other unknown members count as unchanged', async () => {
  const [first, second] = [await createTestKey(), await createTestKey('RS256')];
  identity.publish(first, second);
  const keySet = keySetOf(NEVER);
  const keys = await keySet.current();
  identity.publish({ ...second, jwk: Object.assign({ remark: 'renewed' }, second.jwk) }, first);
  expect(await keySet.searchNewKeys(keys)).toBe(keys);
  now += 31_000;
  identity.publish(second);
  expect(await keySet.searchNewKeys(keys)).not.toBe(keys);
});

test('a request that searches a token’s key in outdated keys gets the newer known keys without a request to the provider', async () => {
  const keySet = keySetOf(NEVER);
  const old = await keySet.current();
  await identity.rotate();
  const fresh = await keySet.searchNewKeys(old);
  expect(fresh).not.toBe(old);
  expect(await keySet.searchNewKeys(old)).toBe(fresh);
  expect(identity.requests).toBe(2);
});
