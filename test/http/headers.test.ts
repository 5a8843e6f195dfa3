import { describe, expect, test } from '@jest/globals';
import { allEndpoints } from '../../src/resources/index.ts';
import { startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { words } from '../support/words.ts';

const ORIGIN = 'https://app.example';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const service = await forSuite(startService({ corsOrigins: [ORIGIN] }));
const closed = await forSuite(startService());
const tenant = await service.tenant('Own');
const token = await service.token('CLIENT', [tenant.clients]);

describe('every answer has security headers and a request id', () => {
  test.each([
    ['an answer with 200', 'GET /api/clients', true],
    ['the answer of /health', 'GET /health', false],
    ['an answer with 404', 'GET /api/nothing', true],
    ['an answer with 401', 'GET /api/clients', false],
  ])(
    'every answer (%s) has a request id from the service and security headers, is not cached, and does not name the server software',
    async (_what, line, known) => {
      const headers = { 'x-request-id': 'mine' };
      const answer = await service.ask(line, known ? { token, headers } : { headers });
      expect(answer.headers['x-request-id']).toMatch(UUID);
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'self'"),
        'strict-transport-security': expect.any(String),
      });
      expect(answer.headers).not.toHaveProperty('x-powered-by');
      // Among the tested answers only the one with a list has an ETag.
      expect('etag' in answer.headers).toBe(line === 'GET /api/clients' && known);
      expect(answer.headers).not.toHaveProperty('server');
    },
  );

  test('a response with 401 has the same message as a response with 403', async () => {
    const foreign = await service.tenant('Foreign');
    const unauthorized = await service.ask('GET /api/clients');
    const forbidden = await service.ask(`GET /api/clients/${foreign.clients}`, { token });
    const message = ({ json }: { json: unknown }) => (json as { error: { message: string } }).error.message;
    expect([unauthorized.status, forbidden.status]).toEqual([401, 403]);
    expect(message(forbidden)).toBe(message(unauthorized));
  });
});

describe('only pages of the listed origins may use the API', () => {
  const preflight = (origin: string) => ({
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  });

  test('a page of a listed origin can send requests and read the response headers that the API documents', async () => {
    const allowed = await service.ask('OPTIONS /api/clients', preflight(ORIGIN));
    expect(allowed).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-headers': 'authorization',
        // With Access-Control-Max-Age: 600, a browser repeats its preflight request only after 600 seconds.
        'access-control-max-age': '600',
      },
    });
    const methods = allEndpoints.map(({ method }) => method.toUpperCase());
    expect(allowed.headers['access-control-allow-methods']?.split(',').toSorted()).toEqual(
      [...new Set([...methods, 'HEAD'])].toSorted(),
    );
    const answer = await service.ask('GET /api/clients', { token, headers: { origin: ORIGIN } });
    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': ORIGIN } });
    const readable = answer.headers['access-control-expose-headers']?.toLowerCase().split(',') ?? [];
    expect(readable).toEqual(
      expect.arrayContaining([
        ...['accept-ranges', 'content-disposition', 'content-range', 'etag', 'link', 'location'],
        ...words(`
          ratelimit ratelimit-policy retry-after www-authenticate x-request-id x-total-count
        `),
      ]),
    );
    const refused = await service.ask('GET /api/clients', { headers: { origin: ORIGIN } });
    expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': ORIGIN } });
  });

  test.each(['https://evil.example', `${ORIGIN}.evil.example`, 'null', 'http://app.example'])(
    'a page of the unlisted origin %s can send no request and read no answer',
    async (origin) => {
      const refused = await service.ask('OPTIONS /api/clients', preflight(origin));
      expect(refused.status).toBe(401);
      expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
      const answer = await service.ask('GET /api/clients', { token, headers: { origin } });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  test('if the configuration lists no origins, a page of another origin can send no request', async () => {
    const refused = await closed.ask('OPTIONS /api/clients', preflight(ORIGIN));
    expect(refused.status).toBe(401);
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

test('a token with access to 2,000 clients is accepted in the Authorization header and by the login', async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => {
    const tail = index.toString(16).padStart(12, '0');
    return `00000000-0000-4000-8000-${tail}`;
  });
  const wide = await service.token('ACCOUNT_MANAGER', [...many, tenant.clients]);
  expect(wide.length).toBeGreaterThan(100_000);
  expect(await service.ask('GET /api/clients', { token: wide })).toMatchObject({
    status: 200,
    json: [{ id: tenant.clients }],
  });
  const login = await service.ask('POST /api/auth/login', { body: { token: wide } });
  expect(login.status).toBe(200);
});
