import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../support/http.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';

/* What the page of /docs is told of an identity provider, and what it may ask there. */

const LOGIN = {
  ...{ issuer: 'https://idp.example/realms/claims', clientId: 'docs' },
  ...{ scope: 'openid api', audience: 'https://api.example' },
};

let service: Service;
let without: Service;

beforeAll(async () => {
  service = await startService({ login: LOGIN });
  without = await startService();
});
afterAll(async () => {
  await service.close();
  await without.close();
});

const policyOf = async ({ port }: Service, line: string): Promise<string[]> => {
  const { headers } = await ask(port, line);
  return String(headers['content-security-policy']).split(';');
};

describe('a service with a client for its page', () => {
  test('tells the page where to log in, as what and for what, without any token', async () => {
    const { status, json, headers } = await ask(service.port, 'GET /docs/login.json');
    expect([status, json, headers['cache-control']]).toEqual([200, LOGIN, 'no-store']);
  });

  test.each(['GET /docs', 'GET /docs/', 'HEAD /docs'])(
    'lets the page of %s ask the provider, and nobody else',
    async (line) => {
      expect(await policyOf(service, line)).toContain("connect-src 'self' https://idp.example");
      expect(await policyOf(service, line)).toEqual([
        ...(await policyOf(without, line)),
        "connect-src 'self' https://idp.example",
      ]);
    },
  );

  test.each(['GET /docs/docs.js', 'GET /health', 'GET /api/clients'])(
    'lets nothing else ask it: %s',
    async (line) => {
      expect(await policyOf(service, line)).toEqual(await policyOf(without, 'GET /docs'));
    },
  );
});

test('a service without one says so, and its page may ask nobody but the service', async () => {
  const { status, json } = await ask(without.port, 'GET /docs/login.json');
  expect([status, json]).toEqual([200, null]);
  expect(
    (await policyOf(without, 'GET /docs')).filter((directive) => directive.startsWith('connect-src')),
  ).toEqual([]);
  expect(await policyOf(without, 'GET /docs')).toContain("default-src 'self'");
});
