import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { ErrorCode } from '../../src/errors.ts';
import { validateInputPart } from '../../src/http/input.ts';
import { rule, formatProblemText } from '../../src/problems.ts';
import { allEndpoints } from '../../src/resources/index.ts';
import { askRaw, parseRaw } from '../support/http.ts';
import type { Question } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const token = await service.token('ADMIN');

const JSON_TYPE = { 'content-type': 'application/json' };
const id = randomUUID();

describe('a caller of a list or a record', () => {
  const offset = 'must be a whole number from 0 to 2147483647';
  const limit = 'must be a whole number from 1 to 1000';
  test.each<[string, string, unknown]>([
    ['a percent sign that encodes nothing', '/api/clients/%ZZ', { path: expect.any(String) }],
    ['bytes that are no UTF-8', '/api/clients/%ff', { path: expect.any(String) }],
    ['an escape in the query that is none', '/api/clients?limit=%', { query: expect.any(String) }],
    ['bytes in the query that are no UTF-8', '/api/sites?q=%ff', { query: expect.any(String) }],
    ['a NUL in the path', `/api/clients/${id}%00`, { clientId: 'must be a UUID' }],
    ['an id that is no UUID', '/api/clients/1', { clientId: 'must be a UUID' }],
    ['an id without hyphens', `/api/clients/${id.replaceAll('-', '')}`, { clientId: 'must be a UUID' }],
    ['an id in braces', `/api/clients/%7B${id}%7D`, { clientId: 'must be a UUID' }],
    ['two ids', `/api/clients/${id},${id}`, { clientId: 'must be a UUID' }],
    ['a parameter twice', '/api/clients?limit=1&limit=2', { limit: 'must be given once' }],
    ['a parameter as an array', '/api/clients?limit[]=1', { 'limit[]': 'is not known here' }],
    ['no limit at all', '/api/clients?limit=', { limit }],
    ['a limit of nothing', '/api/clients?limit=0', { limit }],
    ['a limit beyond the most', '/api/clients?limit=1001', { limit }],
    ['a fraction', '/api/clients?limit=1.5', { limit }],
    ['a number in another notation', '/api/clients?limit=1e2', { limit }],
    ['a limit that is no number', '/api/clients?limit=all', { limit }],
    ['a NUL in the query', '/api/clients?limit=1%00', { limit }],
    ['a negative offset', '/api/clients?offset=-1', { offset }],
    ['an offset beyond what Postgres counts', '/api/clients?offset=9999999999', { offset }],
    ['several mistakes', '/api/clients?limit=0&colour=red', { limit, colour: 'is not known here' }],
    ['a mistake in path and query', '/api/clients/1?x=1', { clientId: 'must be a UUID', x: 'is not known here' }],
    ['the name of the prototype', '/api/clients?__proto__=1', Object.fromEntries([['__proto__', 'is not known here']])],
    ['the name of the constructor', '/api/clients?constructor=1', { constructor: 'is not known here' }],
  ])('is told of %s', async (_what, path, problems) => {
    expectError(await service.ask(`GET ${path}`, { token }), 'ERROR_VALIDATION', problems);
    await expectRefusal(service, await service.ask(`GET ${path}`), 'ERROR_UNAUTHORIZED');
  });

  test('may write an id in capitals', async () => {
    const { clients } = await service.tenant('Capitales');
    const mine = await service.token('CLIENT', [clients]);
    const answer = await service.ask(`GET /api/clients/${clients.toUpperCase()}`, { token: mine });
    expect(answer).toMatchObject({ status: 200, json: { id: clients } });
  });
});

describe('a field that must be there', () => {
  const schemas = allEndpoints.flatMap(({ method, path, query, body }) =>
    Object.entries({ query, body }).flatMap(([part, schema]) => {
      if (schema === undefined) return [];
      const required = Object.entries<z.ZodType>(schema.shape).flatMap(([field, rule]) =>
        rule.safeParse(undefined).success ? [] : [field],
      );
      return required.length === 0 ? [] : [[`${method} ${path}`, part, schema, required] as const];
    }),
  );

  test.each(schemas)('%s: is required in the %s, which null is not said to be', (_line, part, schema, required) => {
    const missing = validateInputPart(part, schema, {});
    expect(missing.problems).toEqual(required.map((field) => ({ field, rule: rule('required') })));
    const none = validateInputPart(part, schema, Object.fromEntries(required.map((field) => [field, null])));
    expect(none.problems.map(({ field }) => field)).toEqual(required);
    for (const problem of none.problems) expect(formatProblemText(problem.rule)).toMatch(/^must /);
  });

  test('is said so to the caller', async () => {
    const answer = await service.ask('POST /api/clients', { token, body: { contact_email: 'a@b.example' } });
    expectError(answer, 'ERROR_VALIDATION', { company_name: 'is required' });
  });
});

describe('a caller with a body', () => {
  const unknown = 'is not known here';
  const notJson = { body: 'must be JSON in UTF-8' };
  const unstorable = { token: 'must not contain NUL or unpaired surrogates' };
  const gzip = { ...JSON_TYPE, 'content-encoding': 'gzip' };
  test.each<[string, Question, unknown, ErrorCode?]>([
    ['no body', { headers: JSON_TYPE }, { body: 'is required' }],
    ['an empty chunked body', { headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' } }, notJson],
    ['half a JSON text', { headers: JSON_TYPE, body: '{"token":' }, notJson],
    ['bytes that are no UTF-8', { headers: JSON_TYPE, body: Buffer.from('{"token":"\xff"}', 'latin1') }, notJson],
    ['an array', { headers: JSON_TYPE, body: '[]' }, { body: expect.any(String) }],
    ['null', { headers: JSON_TYPE, body: 'null' }, { body: expect.any(String) }],
    ['a string', { headers: JSON_TYPE, body: '"token"' }, { body: expect.any(String) }],
    [
      'a deep array',
      { headers: JSON_TYPE, body: `{"token":${'['.repeat(90_000)}${']'.repeat(90_000)}}` },
      { body: 'must not be nested more than 20 deep' },
    ],
    [
      'more values than any login has',
      { headers: JSON_TYPE, body: `{"token":[${'0,'.repeat(10)}0]}` },
      { body: 'must not have more than 10 values' },
    ],
    ['a missing field', { body: {} }, { token: 'is required' }],
    ['a field of another type', { body: { token: 1 } }, { token: expect.any(String) }],
    [
      'a number that would be rounded before anyone looks at it',
      { headers: JSON_TYPE, body: '{"token":-12.3400000000000001e1}' },
      { body: 'must have no number of more than 15 digits' },
    ],
    [
      'a number where there should be none, however many zeros and digits stand beside it',
      {
        headers: JSON_TYPE,
        body: '{"token":0.01234000000000000000,"1234567890123456789\\\\":"12345678901234567"}',
      },
      { token: expect.any(String), '1234567890123456789\\': unknown },
    ],
    ['an empty field', { body: { token: '' } }, { token: 'must not be empty' }],
    ['an unknown field', { body: { token: 'x', colour: 1 } }, { colour: unknown }],
    [
      'a prototype',
      { headers: JSON_TYPE, body: '{"token":"x","__proto__":{"a":1}}' },
      Object.fromEntries([['__proto__', unknown]]),
    ],
    ['a NUL', { body: { token: 'a\0b' } }, unstorable],
    ['half a surrogate pair', { body: { token: '\ud800' } }, unstorable],
    ['bytes that are no gzip', { headers: gzip, body: 'not gzip' }, undefined],
    ['half a gzip', { headers: gzip, body: gzipSync(randomBytes(5_000)).subarray(0, 2_500) }, undefined],
    [
      'a gzip that becomes too large',
      { headers: gzip, body: gzipSync(' '.repeat(10_000_000)) },
      undefined,
      'ERROR_PAYLOAD_TOO_LARGE',
    ],
    ['a body too large', { body: { token: 'x'.repeat(300_000) } }, undefined, 'ERROR_PAYLOAD_TOO_LARGE'],
    [
      'a body too large, in chunks',
      { headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' }, body: ' '.repeat(300_000) },
      undefined,
      'ERROR_PAYLOAD_TOO_LARGE',
    ],
    [
      'an unknown encoding',
      { headers: { ...JSON_TYPE, 'content-encoding': 'rot13' }, body: '{}' },
      undefined,
      'ERROR_UNSUPPORTED_MEDIA_TYPE',
    ],
    ['no content type', { body: '{}' }, undefined, 'ERROR_UNSUPPORTED_MEDIA_TYPE'],
    [
      'another content type',
      { headers: { 'content-type': 'text/plain' }, body: '{}' },
      undefined,
      'ERROR_UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a content type that is none',
      { headers: { 'content-type': ';;' }, body: '{}' },
      undefined,
      'ERROR_UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'another charset',
      { headers: { 'content-type': 'application/json; charset=utf-16' }, body: '{}' },
      undefined,
      'ERROR_UNSUPPORTED_MEDIA_TYPE',
    ],
  ])('is told of %s', async (_what, question, problems, code = 'ERROR_VALIDATION') => {
    expectError(await service.ask('POST /api/auth/login', question), code, problems);
  });

  test('is told that it is too large before sending it', async () => {
    const head = ['POST /api/auth/login HTTP/1.1', 'Host: h', 'Content-Type: application/json', 'Connection: close'];
    const bytes = [...head, 'Content-Length: 1000000', '', ''].join('\r\n');
    expectError(parseRaw(await askRaw(service.port, bytes)).answer, 'ERROR_PAYLOAD_TOO_LARGE');
  });

  test('may compress it and name its charset', async () => {
    const answer = await service.ask('POST /api/auth/login', {
      headers: { 'content-type': 'Application/JSON; charset="UTF-8"', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ token })),
    });
    expect(answer.status).toBe(200);
  });

  test('who hangs up in the middle of it harms nobody', async () => {
    const socket = connect(service.port, '127.0.0.1');
    socket.write(
      'POST /api/auth/login HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
    await once(socket, 'connect');
    socket.destroy();
    await once(socket, 'close');
    expect((await service.ask('GET /api/clients', { token })).status).toBe(200);
  });
});

describe('a caller whose Authorization header', () => {
  test.each<[string, (good: string) => string | string[]]>([
    ['is there twice', (good) => [good, good]],
    ['is there twice, once empty', (good) => ['', good]],
    ['is empty', () => ''],
    ['has another scheme', (good) => good.replace('Bearer', 'Basic')],
    ['has no token', () => 'Bearer'],
    ['has two tokens', (good) => `${good} ${good}`],
    ['is the token alone', (good) => good.replace('Bearer ', '')],
    ['has something before the scheme', (good) => `x ${good}`],
  ])('%s is refused, and audited once', async (_what, header) => {
    const headers = { Authorization: header(`Bearer ${token}`) };
    await expectRefusal(service, await service.ask('GET /api/clients', { headers }), 'ERROR_UNAUTHORIZED');
  });

  test('is in small letters is let in', async () => {
    const answer = await service.ask('GET /api/clients', { headers: { authorization: `bearer  ${token}` } });
    expect(answer.status).toBe(200);
  });
});

describe('a caller of what does not exist', () => {
  test.each([
    ['GET /api/nothing'],
    ['GET /api'],
    ['GET /api/clients/'],
    ['GET /API/clients'],
    ['GET //api/clients'],
    ['GET /api-json/'],
    ['GET /api/clients%2f'],
    ['POST /api/nothing'],
    ['OPTIONS /api/nothing'],
  ])('%s: is refused without a token, then told that there is no such path', async (line) => {
    await expectRefusal(service, await service.ask(line), 'ERROR_UNAUTHORIZED');
    expectError(await service.ask(line, { token }), 'ERROR_NOT_FOUND');
  });

  test.each([
    ['DELETE /api/clients', 'GET, HEAD, POST'],
    ['OPTIONS /api/clients', 'GET, HEAD, POST'],
    ['PROPFIND /api/clients', 'GET, HEAD, POST'],
    ['POST /health', 'GET, HEAD'],
    ['GET /api/auth/login', 'POST'],
    ['HEAD /api/auth/login', 'POST'],
  ])('%s: is refused without a token, then told the methods', async (line, allow) => {
    const refused = await service.ask(line);
    expect(refused.status).toBe(401);
    const answer = await service.ask(line, { token });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    if (!line.startsWith('HEAD')) expectError(answer, 'ERROR_METHOD_NOT_ALLOWED');
  });
});
