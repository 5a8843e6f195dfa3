import { expect, test } from '@jest/globals';
import { expectDescribed } from './described.ts';
import type { Answer } from './http.ts';

const error = {
  code: 'ERROR_FORBIDDEN',
  message: 'x',
  timestamp: '2026-01-01T00:00:00.000Z',
  requestId: 'ba5e0000-0000-4000-8000-000000000001',
};

function answer(status: number, json?: unknown, headers: Answer['headers'] = {}): Answer {
  const text = json === undefined ? '' : JSON.stringify(json);
  const language = status < 400 ? {} : { 'content-language': 'en' };
  const sent = { ...HEADERS, ...language, 'content-type': 'application/json; charset=utf-8', ...headers };
  return { status, headers: sent, text, json };
}

/** The headers that every response of an operation in the OpenAPI document has. */
const HEADERS = {
  'x-request-id': 'ba5e0000-0000-4000-8000-000000000001',
  'cache-control': 'no-store',
  ratelimit: '"address"; r=1; t=1',
  'ratelimit-policy': '"address"; q=1; w=60',
};

function without(name: string, { headers, ...rest }: Answer): Answer {
  const others = Object.entries(headers).filter(([other]) => other !== name);
  return { ...rest, headers: Object.fromEntries(others) };
}

const PROFILE = {
  id: '00000000-0000-4000-8000-000000000001',
  sub: 'x',
  email: null,
  name: null,
  role: 'CLIENT',
  client_access: [],
};

const REMOVAL = `DELETE /api/partners/${PROFILE.id}`;
const CONFLICT = { ...error, code: 'ERROR_CONFLICT' };

function saying(code: string) {
  const [message, params] = ['is taken', { existing_id: PROFILE.id }];
  return { details: { name: message, ...params }, problems: [{ field: 'name', code, params, message }] };
}

test.each<[string, string, Answer]>([
  ['a status that is not described', 'GET /api/clients', answer(418, { error })],
  ['a 409 for a reading request', 'GET /api/clients', answer(409, { error })],
  ['a 409 without details', REMOVAL, answer(409, { error: CONFLICT })],
  ['a 409 with empty details', REMOVAL, answer(409, { error: { ...CONFLICT, details: {}, problems: [] } })],
  [
    'a 409 whose code names no specific reason',
    REMOVAL,
    answer(409, { error: { ...CONFLICT, ...saying('conflict') } }),
  ],
  [
    'a detail in the words of the library zod',
    'GET /api/clients',
    answer(403, { error: { ...error, details: { limit: 'Too small: expected string' } } }),
  ],
  ['an error code of another status', 'GET /api/clients', answer(401, { error }, { 'www-authenticate': 'Bearer' })],
  ['an error with one field more', 'GET /api/clients', answer(403, { error: { ...error, hint: 1 } })],
  ['an error with one field less', 'GET /api/clients', answer(403, { error: { code: 'ERROR_FORBIDDEN' } })],
  ['a record with one field more', 'GET /api/auth/profile', answer(200, { ...PROFILE, secret: 1 })],
  ['a record with one field less', 'GET /api/auth/profile', answer(200, { ...PROFILE, sub: undefined })],
  ['null where it is not allowed', 'GET /api/auth/profile', answer(200, { ...PROFILE, sub: null })],
  ['an id that is no UUID', 'GET /api/auth/profile', answer(200, { ...PROFILE, id: '1' })],
  ['a role that does not exist', 'GET /api/auth/profile', answer(200, { ...PROFILE, role: 'KING' })],
  ['an object around a list', 'GET /api/clients?limit=1', answer(200, { data: [] }, { etag: 'W/"x"' })],
  ['another media type', 'GET /api/clients', answer(200, [], { etag: 'W/"x"', 'content-type': 'text/html' })],
  ['a body after a deletion', `DELETE /api/sites/${PROFILE.id}`, answer(204, {})],
  ['a success on a path that does not exist', 'GET /api/nothing', answer(200, {})],
  ['a success of a method that does not exist', 'DELETE /api/clients', answer(204)],
  ['a detail that is no text', 'GET /api/clients', answer(403, { error: { ...error, details: { a: 1 } } })],
  ['a problem with an unknown code', REMOVAL, answer(409, { error: { ...CONFLICT, ...saying('bad') } })],
  ['an error with an unknown code', 'GET /api/nothing', answer(404, { error: { ...error, code: 'ERROR_LOST' } })],
])('the tests fail on a response that differs from the OpenAPI document: %s', (_what, line, given) => {
  expect(() => {
    expectDescribed(line, given);
  }).toThrow(/not as described/);
});

test.each<[string, string, Answer, string]>([
  [
    'an additional header',
    'GET /api/clients',
    answer(200, [], { etag: 'W/"x"', 'x-powered-by': 'x' }),
    'x-powered-by is not described',
  ],
  [
    'a Location on a list',
    'GET /api/clients',
    answer(200, [], { etag: 'W/"x"', location: '/' }),
    'location is not described',
  ],
  ['no request id', 'GET /api/clients', without('x-request-id', answer(200, [])), 'x-request-id is missing'],
  ['no rate limit', 'GET /api/clients', without('ratelimit', answer(403, { error })), 'ratelimit is missing'],
  [
    'a rate limit on GET /health',
    'GET /health',
    answer(200, { status: 'ok', version: '2.0.0' }),
    'ratelimit is not described',
  ],
  ['a list without an ETag', 'GET /api/clients', answer(200, []), 'etag is missing'],
  ['a 401 without WWW-Authenticate', 'GET /api/clients', answer(401, { error }), 'www-authenticate is missing'],
  ['a 304 without an ETag', `GET /api/sites/${PROFILE.id}`, answer(304), 'etag is missing'],
  [
    'an error without Content-Language',
    'GET /api/clients',
    without('content-language', answer(403, { error })),
    'content-language is missing',
  ],
  ['a 405 without Allow', 'PUT /api/clients', answer(405, { error }), 'allow is missing'],
])('the tests fail on response headers that differ from the OpenAPI document: %s', (_what, line, given, difference) => {
  expect(() => {
    expectDescribed(line, given);
  }).toThrow(`the header ${difference}`);
});

test.each<[string, string, Answer]>([
  ['a record', 'GET /api/auth/profile?x', answer(200, PROFILE)],
  ['an empty list', 'GET /api/clients', answer(200, [], { etag: 'W/"x"' })],
  ['a refusal', 'GET /api/clients', answer(403, { error })],
  ['a 409 with its reason', REMOVAL, answer(409, { error: { ...CONFLICT, ...saying('taken') } })],
  ['an empty body after a deletion', `DELETE /api/sites/${PROFILE.id}`, answer(204)],
  ['an unknown path', 'GET /api/nothing', answer(404, { error: { ...error, code: 'ERROR_NOT_FOUND' } })],
])('the tests accept a response that the OpenAPI document describes: %s', (_what, line, given) => {
  expect(() => {
    expectDescribed(line, given);
  }).not.toThrow();
});
