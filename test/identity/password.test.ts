import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compareSync } from 'bcryptjs';
import { expect, test } from '@jest/globals';
import type { RequestError } from '../../src/errors.ts';
import { hashPassword, hashPasswordWithSalt, isHashable, countWaitingPasswords } from '../../src/identity/password.ts';

const SALT = '$2b$04$abcdefghijklmnopqrstuu';

test('each hash of a password has a new salt, and bcrypt verifies the password with the hash', async () => {
  const limitMs = 120_000;
  const [one, other] = await Promise.all([
    hashPassword('correct horse 1', { limitMs }),
    hashPassword('correct horse 1', { limitMs }),
  ]);
  expect(one).toMatch(/^\$2b\$12\$/);
  expect(one).not.toBe(other);
  expect(compareSync('correct horse 1', one)).toBe(true);
  expect(compareSync('correct horse 2', one)).toBe(false);
});

test('the same password with the salt of its hash gives the same hash', async () => {
  const hash = await hashPasswordWithSalt('correct horse 1', SALT);
  expect(hash.startsWith(SALT)).toBe(true);
  expect(await hashPasswordWithSalt('correct horse 1', hash.slice(0, 29))).toBe(hash);
  expect(await hashPasswordWithSalt('correct horse 2', hash.slice(0, 29))).not.toBe(hash);
});

test('a password in another Unicode normalization form has the same hash', async () => {
  const composed = await hashPasswordWithSalt('prénom et été', SALT);
  expect(await hashPasswordWithSalt('prénom et été'.normalize('NFD'), SALT)).toBe(composed);
  expect(await hashPasswordWithSalt('prenom et ete', SALT)).not.toBe(composed);
});

test('a password is refused if bcrypt would ignore a part of it', async () => {
  expect(isHashable('é'.repeat(36))).toBe(true);
  for (const password of ['a'.repeat(73), 'é'.repeat(37), 'before\0after and more', '\u0958'.repeat(13)]) {
    expect(isHashable(password)).toBe(false);
    await expect(hashPasswordWithSalt(password, SALT)).rejects.toThrow(RangeError);
  }
});

test('a malformed bcrypt salt is refused, and also a salt whose cost would take hours', async () => {
  for (const salt of ['$2b$31$abcdefghijklmnopqrstuu', '!', '', `${SALT}a`, '$1$04$abcdefghijklmnopqrstuu'])
    await expect(hashPasswordWithSalt('correct horse 1', salt)).rejects.toThrow(RangeError);
});

test('the event loop keeps running while a password is hashed', async () => {
  const done: string[] = [];
  const hashed = hashPassword('correct horse 1').then(() => done.push('hash'));
  // If the main thread computed the hash of a password, no turn of the event loop would come before the end of the
  // computation.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  done.push('twenty turns of the loop');
  await hashed;
  expect(done).toEqual(['twenty turns of the loop', 'hash']);
});

test('a 17th password that waits to be hashed is refused at once, and passwords are accepted again afterwards', async () => {
  const asked = Array.from({ length: 20 }, () =>
    hashPasswordWithSalt('correct horse 1', '$2b$06$abcdefghijklmnopqrstuu'),
  );
  const results = await Promise.allSettled(asked);
  expect(results.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 16 }, () => 'fulfilled'),
    ...Array.from({ length: 4 }, () => 'rejected'),
  ]);
  await expect(asked.at(-1)).rejects.toMatchObject({ code: 'ERROR_UNAVAILABLE', headers: { 'Retry-After': '5' } });
  await expect(hashPasswordWithSalt('correct horse 1', SALT)).resolves.toMatch(/^\$2b\$04\$/);
});

test('the password of a caller who has hung up is not hashed, and the next caller’s password is hashed', async () => {
  const leaving = new AbortController();
  const order: string[] = [];
  const asked = (what: string, signal?: AbortSignal) =>
    hashPasswordWithSalt('correct horse 1', '$2b$08$abcdefghijklmnopqrstuu', signal && { signal }).then(
      () => order.push(what),
      (error: unknown) => order.push(`${what}: ${(error as RequestError).code}`),
    );
  const first = asked('first');
  const gone = Array.from({ length: 10 }, () => asked('gone', leaving.signal));
  const last = asked('last');
  expect(countWaitingPasswords()).toBe(12);
  leaving.abort();
  expect(countWaitingPasswords()).toBe(2);
  await Promise.all([first, last, ...gone]);
  expect(order).toEqual([...Array<string>(10).fill('gone: ERROR_REQUEST_TIMEOUT'), 'first', 'last']);
  await expect(hashPasswordWithSalt('correct horse 1', SALT, { signal: leaving.signal })).rejects.toMatchObject({
    code: 'ERROR_REQUEST_TIMEOUT',
  });
  expect(countWaitingPasswords()).toBe(0);
});

test('a password that is not hashed within its limit gets a 503 with Retry-After, and other passwords stay in the queue', async () => {
  const order: string[] = [];
  const before = hashPassword('correct horse 1').then(() => order.push('before'));
  const late = hashPassword('correct horse 1', { limitMs: 1 });
  const after = hashPasswordWithSalt('correct horse 1', SALT).then(() => order.push('after'));
  await expect(late).rejects.toMatchObject({ code: 'ERROR_UNAVAILABLE', headers: { 'Retry-After': '5' } });
  order.push('late');
  await Promise.all([before, after]);
  expect(order).toEqual(['late', 'before', 'after']);
});

test('a password check gets a 503 with Retry-After while the process has no file descriptors left', async () => {
  const module = join(import.meta.dirname, '../../src/identity/password.ts');
  const code = `
    import { closeSync, openSync } from 'node:fs';
    const { hashPasswordWithSalt } = await import(${JSON.stringify(module)});
    const outcomes = () => Promise.all([1, 2, 3].map(() => hashPasswordWithSalt('correct horse 1', '${SALT}').then(
      (hash) => hash.slice(0, 7),
      ({ code, headers }) => [code, headers],
    )));
    const held = [];
    try { for (;;) held.push(openSync('/dev/null')); } catch {}
    const without = await outcomes();
    for (const one of held) closeSync(one);
    process.stdout.write(JSON.stringify([without, await outcomes()]));`;
  const { stdout } = await promisify(execFile)('sh', [
    ...['-c', 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"', process.execPath, code],
  ]);
  const refused = ['ERROR_UNAVAILABLE', { 'Retry-After': '5' }];
  expect(JSON.parse(stdout)).toEqual([
    [refused, refused, refused],
    ['$2b$04$', '$2b$04$', '$2b$04$'],
  ]);
});
