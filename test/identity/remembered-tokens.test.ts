import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startVerification } from '../support/verification.ts';
import type { Verification } from '../support/verification.ts';

let v: Verification;

beforeEach(async () => {
  v = await startVerification();
});

afterEach(() => v.identity.stop());

test('the service remembers a verified token, and does not verify the token again', async () => {
  const token = await v.identity.token();
  const first = await v.verifier.verify(token);
  expect(await v.verifier.verify(token)).toBe(first);
  expect(await v.callerOf({ jti: 'another' })).not.toBe(first);
});

test('the memory for verified tokens is limited: the oldest of many large tokens is verified again', async () => {
  const client_access = Array.from({ length: 2_000 }, () => randomUUID());
  const tokens = await Promise.all(Array.from({ length: 320 }, (_, jti) => v.identity.token({ jti, client_access })));
  const callers = [];
  for (const token of tokens) callers.push(await v.verifier.verify(token));
  expect(await v.verifier.verify(String(tokens.at(-1)))).toBe(callers.at(-1));
  const again = await v.verifier.verify(String(tokens[0]));
  expect(again).not.toBe(callers[0]);
  expect(again).toEqual(callers[0]);
});

test('a remembered token is refused once it has expired', async () => {
  const token = await v.identity.token({ exp: v.clock() / 1000 + 60 });
  await v.verifier.verify(token);
  v.clock.advance(89);
  await expect(v.verifier.verify(token)).resolves.toMatchObject({ role: 'CLIENT' });
  v.clock.advance(1);
  expect((await v.refusalOf(token)).message).toBe('the token has expired');
});

test('a remembered token is refused if the clock is set back to before its iat or nbf', async () => {
  const [now, before] = [v.clock() / 1000, v.clock() / 1000 - 3600];
  for (const claims of [
    { iat: before, nbf: now },
    { iat: now, nbf: before },
  ]) {
    const token = await v.identity.token(claims);
    await v.verifier.verify(token);
    v.clock.advance(-31);
    await v.refusalOf(token);
    v.clock.advance(31);
    await expect(v.verifier.verify(token)).resolves.toMatchObject({ role: 'CLIENT' });
  }
});

test('a token that was refused as too early is accepted once its time has come', async () => {
  const token = await v.identity.token({ nbf: v.clock() / 1000 + 60 });
  await v.refusalOf(token);
  v.clock.advance(60);
  await expect(v.verifier.verify(token)).resolves.toMatchObject({ role: 'CLIENT' });
});
