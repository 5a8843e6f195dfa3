import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RequestError } from '../../src/errors.ts';
import { computeRequestDigests, readIdempotencyKey } from '../../src/http/creation.ts';
import { expectError, startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const keyOf = (...values: string[]) => readIdempotencyKey({ headersDistinct: { 'idempotency-key': values } });

const UUID = '8e03978e-40d5-43e8-bc93-6894a57f9324';

describe('a key', () => {
  test('is none where the header is absent', () => {
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
  ])('%j is %j', (value, key) => {
    expect(keyOf(value)).toBe(key);
  });

  test.each([
    ['nothing', ''],
    ['an empty string', '""'],
    ['a blank', ' '],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters in quotes', `"${'x'.repeat(256)}"`],
    ['a blank within', 'a b'],
    ['a list', 'a,b'],
    ['a parameter', 'a;b'],
    ['a string with a parameter', '"a";b=1'],
    ['a list of strings', '"a", "b"'],
    ['a quote that is not closed', '"a'],
    ['a quote that was not opened', 'a"'],
    ['one quote', '"'],
    ['an escape of another character', String.raw`"a\n"`],
    ['an escape of the closing quote', String.raw`"a\"`],
    ['a letter beyond ASCII', 'é'],
    ['a letter beyond ASCII in quotes', '"é"'],
    ['a control character', '"a\x01"'],
  ])('%s is refused', (_what, value) => {
    expect(() => keyOf(value)).toThrow(RequestError);
  });

  test('is one: two are refused, also the same one twice', () => {
    expect(() => keyOf('a', 'a')).toThrow(RequestError);
  });
});

describe('the digest of a request', () => {
  const request = (key: string, action: string, content: string) =>
    computeRequestDigests(key, action, Buffer.from(content))[1];

  test('is the same for the same bytes alone, under the same key', () => {
    const one = request('k', 'POST /a', '{}');
    expect(request('k', 'POST /a', '{}')).toBe(one);
    const others = [request('k', 'POST /b', '{}'), request('k', 'POST /a', '{ }'), request('l', 'POST /a', '{}')];
    expect(new Set([one, ...others]).size).toBe(4);
  });

  test('does not hold the key', () => {
    expect(computeRequestDigests('k', 'POST /a', '')).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });
});

describe('a request with a malformed key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test('is refused with the rule, after the role and before the body', async () => {
    const headers = { 'idempotency-key': 'a,b', 'content-type': 'application/json' };
    const token = await service.token('ADMIN');
    const refused = await service.ask('POST /api/sites', { token, headers, body: 'no JSON' });
    expectError(refused, 'ERROR_VALIDATION', { 'Idempotency-Key': expect.stringContaining('1 to 255') });
    const client = await service.token('CLIENT');
    expectError(await service.ask('POST /api/sites', { token: client, headers, body: 'no JSON' }), 'ERROR_FORBIDDEN');
  });

  test('is served as any other where nothing is created', async () => {
    const token = await service.token('ADMIN');
    const headers = { 'idempotency-key': 'a,b' };
    expect((await service.ask('GET /api/sites', { token, headers })).status).toBe(200);
  });
});
