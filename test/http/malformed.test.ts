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
import type { Question } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

const service = await forSuite(startService());
const token = await service.token('ADMIN');

const JSON_TYPE = { 'content-type': 'application/json' };
const id = randomUUID();

describe('the service answers a malformed path or query with 400', () => {
  const offset = 'must be a whole number from 0 to 2147483647';
  const limit = 'must be a whole number from 1 to 1000';
  test.each<[string, string, unknown]>([
    ['an invalid percent encoding in the path', '/api/clients/%ZZ', { path: expect.any(String) }],
    ['invalid UTF-8 in the path', '/api/clients/%ff', { path: expect.any(String) }],
    ['an invalid percent encoding in the query', '/api/clients?limit=%', { query: expect.any(String) }],
    ['invalid UTF-8 in the query', '/api/sites?q=%ff', { query: expect.any(String) }],
    ['a NUL character in the path', `/api/clients/${id}%00`, { clientId: 'must be a UUID' }],
    ['a parameter twice', '/api/clients?limit=1&limit=2', { limit: 'must be given once' }],
    ['a parameter as an array', '/api/clients?limit[]=1', { 'limit[]': 'is not known here: the field is limit' }],
    ['an empty limit', '/api/clients?limit=', { limit }],
    ['a limit of 0', '/api/clients?limit=0', { limit }],
    ['a limit of 1001', '/api/clients?limit=1001', { limit }],
    ['a fraction as limit', '/api/clients?limit=1.5', { limit }],
    ['a limit in exponential notation', '/api/clients?limit=1e2', { limit }],
    ['a limit that is no number', '/api/clients?limit=all', { limit }],
    ['a NUL character in the query', '/api/clients?limit=1%00', { limit }],
    ['a negative offset', '/api/clients?offset=-1', { offset }],
    ['an offset above 2147483647', '/api/clients?offset=9999999999', { offset }],
    ['two mistakes in the query', '/api/clients?limit=0&colour=red', { limit, colour: 'is not known here' }],
    ['a mistake in path and query', '/api/clients/1?x=1', { clientId: 'must be a UUID', x: 'is not known here' }],
    ['a parameter __proto__', '/api/clients?__proto__=1', Object.fromEntries([['__proto__', 'is not known here']])],
    ['a parameter constructor', '/api/clients?constructor=1', { constructor: 'is not known here' }],
  ])(
    'the service answers a malformed request (%s) with 400 that names the mistake, and with 401 without a token',
    async (_what, path, problems) => {
      expectError(await service.ask(`GET ${path}`, { token }), 'ERROR_VALIDATION', problems);
      await expectRefusal(service, await service.ask(`GET ${path}`), 'ERROR_UNAUTHORIZED');
    },
  );

  test('a caller can write the id of a client in a path with capital letters', async () => {
    const { clients } = await service.tenant('Capitales');
    const mine = await service.token('CLIENT', [clients]);
    const answer = await service.ask(`GET /api/clients/${clients.toUpperCase()}`, { token: mine });
    expect(answer).toMatchObject({ status: 200, json: { id: clients } });
  });
});

const schemas = allEndpoints.flatMap(({ method, path, query, body }) =>
  Object.entries({ query, body }).flatMap(([part, schema]) => {
    if (schema === undefined) return [];
    const required = Object.entries<z.ZodType>(schema.shape).flatMap(([field, rule]) =>
      rule.safeParse(undefined).success ? [] : [field],
    );
    return required.length === 0 ? [] : [[`${method} ${path}`, part, schema, required] as const];
  }),
);

test.each(schemas)(
  'the endpoint %s reports each required field of its %s: as missing if absent, as a wrong value if null',
  (_line, part, schema, required) => {
    const missing = validateInputPart(part, schema, {});
    expect(missing.problems).toEqual(required.map((field) => ({ field, rule: rule('required') })));
    const none = validateInputPart(part, schema, Object.fromEntries(required.map((field) => [field, null])));
    expect(none.problems.map(({ field }) => field)).toEqual(required);
    for (const problem of none.problems) expect(formatProblemText(problem.rule)).toMatch(/^must /);
  },
);

describe('the service answers a malformed request body with an error that names the mistake', () => {
  const unknown = 'is not known here';
  const notJson = { body: 'must be JSON in UTF-8' };
  const unstorable = { token: 'must not contain NUL or unpaired surrogates' };
  const gzip = { ...JSON_TYPE, 'content-encoding': 'gzip' };
  test.each<[string, Question, unknown, ErrorCode?]>([
    ['no body', { headers: JSON_TYPE }, { body: 'is required' }],
    ['an empty chunked body', { headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' } }, notJson],
    ['half a JSON text', { headers: JSON_TYPE, body: '{"token":' }, notJson],
    ['a body in Latin-1', { headers: JSON_TYPE, body: Buffer.from('{"token":"\xff"}', 'latin1') }, notJson],
    ['an array as body', { headers: JSON_TYPE, body: '[]' }, { body: expect.any(String) }],
    ['null as body', { headers: JSON_TYPE, body: 'null' }, { body: expect.any(String) }],
    ['a string as body', { headers: JSON_TYPE, body: '"token"' }, { body: expect.any(String) }],
    [
      'arrays nested 90,000 deep',
      { headers: JSON_TYPE, body: `{"token":${'['.repeat(90_000)}${']'.repeat(90_000)}}` },
      { body: 'must not be nested more than 20 deep' },
    ],
    ['a missing field', { body: {} }, { token: 'is required' }],
    ['a field of another type', { body: { token: 1 } }, { token: expect.any(String) }],
    [
      'a number of more than 15 digits',
      { headers: JSON_TYPE, body: '{"token":-12.3400000000000001e1}' },
      { token: 'must have at most 15 digits' },
    ],
    [
      'a number of more than 15 digits in a list',
      { headers: JSON_TYPE, body: '{"token":[1,-12.3400000000000001e1]}' },
      { body: 'must have no number of more than 15 digits' },
    ],
    [
      'a number instead of text, with long digits in a field name and a text',
      {
        headers: JSON_TYPE,
        body: '{"token":0.01234000000000000000,"1234567890123456789\\\\":"12345678901234567"}',
      },
      { token: expect.any(String), '1234567890123456789\\': unknown },
    ],
    ['an empty field', { body: { token: '' } }, { token: 'must not be empty' }],
    ['an unknown field', { body: { token: 'x', colour: 1 } }, { colour: unknown }],
    [
      'a field __proto__',
      { headers: JSON_TYPE, body: '{"token":"x","__proto__":{"a":1}}' },
      Object.fromEntries([['__proto__', unknown]]),
    ],
    ['a NUL character in a text', { body: { token: 'a\0b' } }, unstorable],
    ['an unpaired surrogate in a text', { body: { token: '\ud800' } }, unstorable],
    ['an uncompressed body with Content-Encoding: gzip', { headers: gzip, body: 'not gzip' }, undefined],
    ['a truncated gzip body', { headers: gzip, body: gzipSync(randomBytes(5_000)).subarray(0, 2_500) }, undefined],
    [
      'an unknown content encoding',
      { headers: { ...JSON_TYPE, 'content-encoding': 'rot13' }, body: '{}' },
      undefined,
      'ERROR_UNSUPPORTED_MEDIA_TYPE',
    ],
    ['no content type', { body: '{}' }, undefined, 'ERROR_UNSUPPORTED_MEDIA_TYPE'],
    [
      'the content type text/plain',
      { headers: { 'content-type': 'text/plain' }, body: '{}' },
      undefined,
      'ERROR_UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a malformed content type',
      { headers: { 'content-type': ';;' }, body: '{}' },
      undefined,
      'ERROR_UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'the charset UTF-16',
      { headers: { 'content-type': 'application/json; charset=utf-16' }, body: '{}' },
      undefined,
      'ERROR_UNSUPPORTED_MEDIA_TYPE',
    ],
  ])('the service refuses a login with %s', async (_what, question, problems, code = 'ERROR_VALIDATION') => {
    expectError(await service.ask('POST /api/auth/login', question), code, problems);
  });

  test('the service reads a body in gzip with a named charset', async () => {
    const answer = await service.ask('POST /api/auth/login', {
      headers: { 'content-type': 'Application/JSON; charset="UTF-8"', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ token })),
    });
    expect(answer.status).toBe(200);
  });

  test('the service answers the next request after a client hung up within a body', async () => {
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

describe('the service refuses a malformed Authorization header', () => {
  test.each<[string, (good: string) => string | string[]]>([
    ['is there twice', (good) => [good, good]],
    ['is there twice, once empty', (good) => ['', good]],
    ['is empty', () => ''],
    ['has another scheme', (good) => good.replace('Bearer', 'Basic')],
    ['has no token', () => 'Bearer'],
    ['has two tokens', (good) => `${good} ${good}`],
    ['is the token alone', (good) => good.replace('Bearer ', '')],
    ['has something before the scheme', (good) => `x ${good}`],
  ])(
    'the service refuses a request whose Authorization header %s, and audits the refusal once',
    async (_what, header) => {
      const headers = { Authorization: header(`Bearer ${token}`) };
      await expectRefusal(service, await service.ask('GET /api/clients', { headers }), 'ERROR_UNAUTHORIZED');
    },
  );

  test('the service accepts a token after the scheme bearer in small letters and two blanks', async () => {
    const answer = await service.ask('GET /api/clients', { headers: { authorization: `bearer  ${token}` } });
    expect(answer.status).toBe(200);
  });
});

describe('a caller with a token gets 404 for an unknown path and 405 for an unknown method', () => {
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
  ])('the request %s to an unknown path gets 404, and without a token 401', async (line) => {
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
  ])(
    'the request %s with a method that its path lacks gets 405 with the allowed methods, and without a token 401',
    async (line, allow) => {
      const refused = await service.ask(line);
      expect(refused.status).toBe(401);
      const answer = await service.ask(line, { token });
      expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
      if (!line.startsWith('HEAD')) expectError(answer, 'ERROR_METHOD_NOT_ALLOWED');
    },
  );
});
