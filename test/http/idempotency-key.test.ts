import { describe, expect, test } from '@jest/globals';
import { RequestError } from '../../src/errors.ts';
import { computeRequestDigests, readIdempotencyKey } from '../../src/http/creation.ts';
import { expectError, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());

const keyOf = (...values: string[]) => readIdempotencyKey({ headersDistinct: { 'idempotency-key': values } });

const UUID = '8e03978e-40d5-43e8-bc93-6894a57f9324';

describe('the service reads the idempotency key of a request from the header Idempotency-Key', () => {
  test('a request without the header Idempotency-Key has no key', () => {
    expect(readIdempotencyKey({ headersDistinct: {} })).toBeUndefined();
  });

  test.each([
    [UUID, UUID],
    [`"${UUID}"`, UUID],
    [` "${UUID}"\t`, UUID],
    ['x', 'x'],
    ['"a b"', 'a b'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ['"a,b;c"', 'a,b;c'],
    ['order:2026/1=!', 'order:2026/1=!'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
    ['"' + '\\"'.repeat(255) + '"', '"'.repeat(255)],
  ])('the header Idempotency-Key with the value %j gives the key %j', (value, key) => {
    expect(keyOf(value)).toBe(key);
  });

  test.each([
    ['an empty value', ''],
    ['an empty string', '""'],
    ['only a blank', ' '],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters in quotes', `"${'x'.repeat(256)}"`],
    ['a blank outside quotes', 'a b'],
    ['two values without quotes', 'a,b'],
    ['a parameter', 'a;b'],
    ['a string with a parameter', '"a";b=1'],
    ['two strings', '"a", "b"'],
    ['an opening quote without a closing quote', '"a'],
    ['a closing quote without an opening quote', 'a"'],
    ['a single quote mark', '"'],
    ['an escape of another character', String.raw`"a\n"`],
    ['an escape of the closing quote', String.raw`"a\"`],
    ['a letter beyond ASCII', 'é'],
    ['a letter beyond ASCII in quotes', '"é"'],
    ['a control character', '"a\x01"'],
  ])('the header Idempotency-Key with %s is refused', (_what, value) => {
    expect(() => keyOf(value)).toThrow(RequestError);
  });

  test('a request with two Idempotency-Key headers is refused, even if both have the same value', () => {
    expect(() => keyOf('a', 'a')).toThrow(RequestError);
  });
});

describe('the digest of a request with an idempotency key identifies the request', () => {
  const request = (key: string, action: string, content: string) =>
    computeRequestDigests(key, action, Buffer.from(content))[1];

  test('the digest of a request depends on its idempotency key, its action and the bytes of its body', () => {
    const one = request('k', 'POST /a', '{}');
    expect(request('k', 'POST /a', '{}')).toBe(one);
    const others = [request('k', 'POST /b', '{}'), request('k', 'POST /a', '{ }'), request('l', 'POST /a', '{}')];
    expect(new Set([one, ...others]).size).toBe(4);
  });

  test('the digests of a request are hexadecimal SHA-256 values that do not contain the idempotency key', () => {
    expect(computeRequestDigests('k', 'POST /a', '')).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });
});

describe('the service refuses a creation with a malformed idempotency key', () => {
  test('a creation with a malformed Idempotency-Key gets 400 before its body is read, and 403 for a role without the right', async () => {
    const headers = { 'idempotency-key': 'a,b', 'content-type': 'application/json' };
    const token = await service.token('ADMIN');
    const refused = await service.ask('POST /api/sites', { token, headers, body: 'no JSON' });
    expectError(refused, 'ERROR_VALIDATION', { 'Idempotency-Key': expect.stringContaining('1 to 255') });
    const client = await service.token('CLIENT');
    expectError(await service.ask('POST /api/sites', { token: client, headers, body: 'no JSON' }), 'ERROR_FORBIDDEN');
  });

  test('a GET ignores a malformed Idempotency-Key', async () => {
    const token = await service.token('ADMIN');
    const headers = { 'idempotency-key': 'a,b' };
    expect((await service.ask('GET /api/sites', { token, headers })).status).toBe(200);
  });
});
