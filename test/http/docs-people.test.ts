import { describe, expect, test } from '@jest/globals';
import type { DemonstrationUser } from '../../src/http/docs.ts';
import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { words } from '../support/words.ts';

/* The tokens that the page of /docs gets with a click, in a demonstration and nowhere else. */

const CALLED_BY = 'https://app.example';
const SOPHIE = 'POST /docs/people/CLIENT';

const people: readonly DemonstrationUser[] = [
  {
    ...{ role: 'CLIENT', name: 'Sophie Martin', clientAccess: ['c1000000-0000-4000-8000-000000000001'] },
    token: () => service.token('CLIENT', [own]),
  },
];
const service = await forSuite(startService({ demonstrationUsers: people, corsOrigins: [CALLED_BY] }));
const own = (await service.tenant('Own')).clients;
const serious = await forSuite(startService());

const to = (host: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(service.port, SOPHIE, { headers: { host, origin: `http://${host}`, ...headers } });
const offered = (headers: Record<string, string> = {}): Promise<Answer> =>
  ask(service.port, 'GET /docs/people.json', { headers });

describe('a demonstration', () => {
  test('says who is offered, without any token', async () => {
    const { status, headers, json, text } = await offered();
    expect([status, json]).toEqual([200, [{ role: 'CLIENT', name: 'Sophie Martin', clients: 1 }]]);
    expect(headers['cache-control']).toBe('no-store');
    expect(text).not.toContain('eyJ');
  });

  test.each(['127.0.0.1', '127.0.0.1:3000', 'localhost:3000', 'LOCALHOST', '[::1]:3000'])(
    'gives its own page at %s a token that works, and lets nobody keep it',
    async (host) => {
      const { status, json, headers } = await to(host);
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      const { token } = json as { token: string };
      expect((await service.ask('GET /api/clients', { token })).json).toEqual([expect.objectContaining({ id: own })]);
    },
  );

  test.each([
    ['a page of elsewhere', { origin: 'https://evil.example' }],
    ['a frontend that may call', { origin: CALLED_BY }],
    ['another page of this machine', { origin: 'http://127.0.0.1:5173' }],
    ['the same name over TLS, which is not served here', { origin: 'https://127.0.0.1:3000' }],
    ['a page without an origin, such as a file', { origin: 'null' }],
    ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
    ['a proxy that hides whom it serves', { forwarded: 'for=unknown' }],
    ['a proxy that says its own name alone', { via: '1.1 proxy' }],
  ])('gives no token to %s, and records that', async (_whom, headers) => {
    await expectRefusal(service, await to('127.0.0.1:3000', headers), 'ERROR_FORBIDDEN');
  });

  test('gives no token to what sends no origin, as no browser does', async () => {
    await expectRefusal(service, await ask(service.port, SOPHIE), 'ERROR_FORBIDDEN');
  });

  test.each(
    words(`
    evil.example:3000 127.0.0.1.evil.example localhost.evil.example 192.168.1.2 127.0.0.1:
  `),
  )('offers nobody and gives no token under the name "%s", which may have been led here', async (host) => {
    expect((await offered({ host })).json).toEqual([]);
    await expectRefusal(service, await to(host), 'ERROR_FORBIDDEN');
  });

  test('offers nobody through a proxy', async () => {
    expect((await offered({ 'x-forwarded-for': '203.0.113.7' })).json).toEqual([]);
  });

  test('has no other person, and gives no token for being read', async () => {
    const headers = { host: '127.0.0.1', origin: 'http://127.0.0.1' };
    for (const line of ['POST /docs/people/ADMIN', 'GET /docs/people/CLIENT', 'POST /docs/people']) {
      expectError(await ask(service.port, line, { headers }), 'ERROR_UNAUTHORIZED');
    }
  });
});

test('a service that is no demonstration offers nobody, and has no such path', async () => {
  const answer = await ask(serious.port, 'GET /docs/people.json');
  expect([answer.status, answer.json]).toEqual([200, []]);
  const headers = { host: '127.0.0.1', origin: 'http://127.0.0.1' };
  expectError(await ask(serious.port, SOPHIE, { headers }), 'ERROR_UNAUTHORIZED');
  const token = await serious.token('ADMIN');
  expectError(await ask(serious.port, SOPHIE, { headers, token }), 'ERROR_NOT_FOUND');
});
