import { describe, expect, test } from '@jest/globals';
import type { DemonstrationUser } from '../../src/http/docs.ts';
import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { expectError, expectRefusal, startService } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { words } from '../support/words.ts';

/* These tests check to whom the demonstration gives tokens of its users: only to the page /docs on the same machine. */

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

describe('the demonstration gives tokens to its own page /docs only', () => {
  test('/docs/people.json names the demonstration’s users to a caller without a token, and contains no token', async () => {
    const { status, headers, json, text } = await offered();
    expect([status, json]).toEqual([200, [{ role: 'CLIENT', name: 'Sophie Martin', clients: 1 }]]);
    expect(headers['cache-control']).toBe('no-store');
    expect(text).not.toContain('eyJ');
  });

  test.each(['127.0.0.1', '127.0.0.1:3000', 'localhost:3000', 'LOCALHOST', '[::1]:3000'])(
    'the demonstration gives its own page at %s a working token, which is not cached or readable by other origins',
    async (host) => {
      const { status, json, headers } = await to(host);
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      const { token } = json as { token: string };
      expect((await service.ask('GET /api/clients', { token })).json).toEqual([expect.objectContaining({ id: own })]);
    },
  );

  test.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a frontend among the allowed origins', { origin: CALLED_BY }],
    ['a page at another port of this machine', { origin: 'http://127.0.0.1:5173' }],
    ['a page at the same host over https', { origin: 'https://127.0.0.1:3000' }],
    ['a page with the origin null, such as a local file', { origin: 'null' }],
    ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
    ['a proxy that hides the address of its caller', { forwarded: 'for=unknown' }],
    ['a proxy that sends only a Via header', { via: '1.1 proxy' }],
  ])(
    'the demonstration gives no token to a foreign caller, such as %s, and audits the refusal',
    async (_whom, headers) => {
      await expectRefusal(service, await to('127.0.0.1:3000', headers), 'ERROR_FORBIDDEN');
    },
  );

  test('the demonstration gives no token to a request without an Origin header, and audits the refusal', async () => {
    await expectRefusal(service, await ask(service.port, SOPHIE), 'ERROR_FORBIDDEN');
  });

  test.each(
    words(`
    evil.example:3000 127.0.0.1.evil.example localhost.evil.example 192.168.1.2 127.0.0.1:
  `),
  )(
    'the demonstration names none of its users and gives no token to a request with the Host header "%s"',
    async (host) => {
      expect((await offered({ host })).json).toEqual([]);
      await expectRefusal(service, await to(host), 'ERROR_FORBIDDEN');
    },
  );

  test('/docs/people.json names no demonstration user to a request that came through a proxy', async () => {
    expect((await offered({ 'x-forwarded-for': '203.0.113.7' })).json).toEqual([]);
  });

  test('the demonstration gives no token for a role without a demonstration user, and none by GET', async () => {
    const headers = { host: '127.0.0.1', origin: 'http://127.0.0.1' };
    for (const line of ['POST /docs/people/ADMIN', 'GET /docs/people/CLIENT', 'POST /docs/people']) {
      expectError(await ask(service.port, line, { headers }), 'ERROR_UNAUTHORIZED');
    }
  });
});

test('a service without the demonstration names no user in /docs/people.json, and has no path that gives tokens', async () => {
  const answer = await ask(serious.port, 'GET /docs/people.json');
  expect([answer.status, answer.json]).toEqual([200, []]);
  const headers = { host: '127.0.0.1', origin: 'http://127.0.0.1' };
  expectError(await ask(serious.port, SOPHIE, { headers }), 'ERROR_UNAUTHORIZED');
  const token = await serious.token('ADMIN');
  expectError(await ask(serious.port, SOPHIE, { headers, token }), 'ERROR_NOT_FOUND');
});
