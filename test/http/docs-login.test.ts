import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RequestListener, ServerResponse } from 'node:http';
import { pino } from 'pino';
import type { DocsLogin } from '../../src/http/docs.ts';
import { createLoginDiscovery } from '../../src/identity/discovery.ts';
import { startForeignProvider } from '../support/foreign-provider.ts';
import { ask } from '../support/http.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';

/*
 * These tests check what the service tells the page /docs about the identity provider, and to which hosts the service
 * lets the page send requests.
 */

const SETTINGS = { clientId: 'docs', scope: 'openid api', audience: 'https://api.example' };
const MINUTE = 60_000;

let now = 0;

const provider = await forSuite(startForeignProvider());
await provider.allow('docs', 'http://127.0.0.1/docs');
const { issuer } = provider;
const log = pino({ level: 'silent' });
const discovery = createLoginDiscovery({ issuer, log, timeoutMs: 600_000, now: () => now });
const login: DocsLogin = { ...SETTINGS, issuer, discovery };
const service = await forSuite(startService({ login }));
const without = await forSuite(startService());

beforeEach(() => {
  provider.discovery = undefined;
  now += 60 * MINUTE;
});

const policyOf = async ({ port }: Service, line: string): Promise<string[]> => {
  const { headers } = await ask(port, line);
  return String(headers['content-security-policy']).split(';');
};

const saying =
  (document: Readonly<Record<string, string>>): RequestListener =>
  (_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));

describe('with AUTH_CLIENT_ID a user can log in at the identity provider from the page /docs', () => {
  test('/docs/login.json tells the page the provider’s endpoints, its client id, scope and audience, without a token', async () => {
    const { status, json, headers } = await ask(service.port, 'GET /docs/login.json');
    const { issuer } = provider;
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      end_session_endpoint: `${issuer}/session/end`,
    };
    expect([status, json, headers['cache-control']]).toEqual([200, { ...SETTINGS, issuer, metadata }, 'no-store']);
  });

  test.each(['GET /docs', 'HEAD /docs'])(
    'the Content-Security-Policy of the page %s allows requests to the service and to the provider’s token endpoint only',
    async (line) => {
      const { issuer } = provider;
      provider.discovery = saying({
        ...{ issuer, authorization_endpoint: `${issuer}/auth`, end_session_endpoint: 'https://out.example/' },
        token_endpoint: 'https://tokens.example:8443/oauth/token',
      });
      expect(await policyOf(service, line)).toEqual([
        ...(await policyOf(without, line)),
        "connect-src 'self' https://tokens.example:8443",
      ]);
    },
  );

  test.each(['GET /docs/docs.js', 'GET /health', 'GET /api/clients'])(
    'the Content-Security-Policy of the page %s does not allow requests to the provider’s token endpoint',
    async (line) => {
      await ask(service.port, 'GET /docs');
      expect(await policyOf(service, line)).toEqual(await policyOf(without, 'GET /docs'));
    },
  );

  test('if the provider’s discovery document names another issuer, /docs/login.json has no metadata and /docs cannot call the provider', async () => {
    provider.discovery = saying({ issuer: 'https://another.example' });
    const { status, json } = await ask(service.port, 'GET /docs/login.json');
    expect([status, json]).toEqual([200, { ...SETTINGS, issuer: provider.issuer, metadata: null }]);
    expect(await policyOf(service, 'GET /docs')).toEqual(await policyOf(without, 'GET /docs'));
  });

  test('only /docs and /docs/login.json wait for the provider’s discovery, and they share one request to the provider', async () => {
    const asked = provider.discoveries;
    const held: ServerResponse[] = [];
    const { promise: arrived, resolve } = Promise.withResolvers<undefined>();
    provider.discovery = (_request, response) => {
      held.push(response);
      resolve(undefined);
    };
    const others = async (): Promise<number[]> => {
      const lines = ['GET /docs/docs.js', 'GET /docs/people.json', 'GET /health', 'GET /api/clients'];
      return Promise.all(lines.map(async (line) => (await ask(service.port, line)).status));
    };
    expect([await others(), provider.discoveries - asked]).toEqual([[200, 200, 200, 401], 0]);
    const pages = ['GET /docs', 'GET /docs/login.json', 'GET /docs'].map((line) => ask(service.port, line));
    await arrived;
    expect(await others()).toEqual([200, 200, 200, 401]);
    for (const response of held) response.destroy();
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(provider.discoveries - asked).toBe(1);
  });
});

test('without AUTH_CLIENT_ID /docs/login.json is null, and the page /docs can send requests only to the service', async () => {
  const { status, json } = await ask(without.port, 'GET /docs/login.json');
  expect([status, json]).toEqual([200, null]);
  expect((await policyOf(without, 'GET /docs')).filter((directive) => directive.startsWith('connect-src'))).toEqual([]);
  expect(await policyOf(without, 'GET /docs')).toContain("default-src 'self'");
});
