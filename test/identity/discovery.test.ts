import type { RequestListener, ServerResponse } from 'node:http';
import { beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createKeySetUrlFinder, createLoginDiscovery } from '../../src/identity/discovery.ts';
import type { LoginDiscovery } from '../../src/identity/discovery.ts';
import { startForeignProvider } from '../support/foreign-provider.ts';
import { forSuite } from '../support/suite.ts';

/*
 * These tests check the endpoints for logins from /docs, which the service reads from the provider’s discovery
 * document.
 */

const MINUTE = 60_000;

let asked: number;
let now: number;

const provider = await forSuite(startForeignProvider());
await provider.allow('docs', 'http://127.0.0.1/docs');

beforeEach(() => {
  provider.discovery = undefined;
  asked = provider.discoveries;
  now = 0;
});

function discoveryOf({
  issuer = provider.issuer,
  timeoutMs = 60_000,
}: { issuer?: string; timeoutMs?: number } = {}): LoginDiscovery {
  return createLoginDiscovery({ issuer, timeoutMs, log: pino({ level: 'silent' }), now: () => now });
}

const documentOf = (changes: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    issuer: provider.issuer,
    authorization_endpoint: `${provider.issuer}/auth`,
    token_endpoint: `${provider.issuer}/token`,
    ...changes,
  });

const saying =
  (body: string, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);

test('the service reads a provider’s discovery document even if the provider allows no browser to read it by CORS', async () => {
  const headers = { origin: 'http://127.0.0.1:3000' };
  const answer = await fetch(`${provider.issuer}/.well-known/openid-configuration`, { headers });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  expect(await discoveryOf().currentMetadata()).toEqual({
    issuer: provider.issuer,
    authorization_endpoint: `${provider.issuer}/auth`,
    token_endpoint: `${provider.issuer}/token`,
    end_session_endpoint: `${provider.issuer}/session/end`,
  });
});

test('a provider’s discovery document is accepted without a logout endpoint and with endpoints on other hosts', async () => {
  const elsewhere = { token_endpoint: 'https://tokens.example/token' };
  provider.discovery = saying(documentOf(elsewhere));
  expect(await discoveryOf().currentMetadata()).toEqual(JSON.parse(documentOf(elsewhere)));
});

test('a provider’s discovery document is accepted with members of any type, if no login needs these members', async () => {
  for (const member of ['end_session_endpoint', 'jwks_uri', 'scopes_supported', 'code_challenge_methods_supported'])
    for (const value of [null, 7, '', 'nonsense', true, [], ['https://idp.example/'], {}]) {
      provider.discovery = saying(documentOf({ [member]: value }));
      const found = await discoveryOf().currentMetadata();
      expect([member, value, found]).toEqual([member, value, JSON.parse(documentOf())]);
    }
});

test('the service leaves out a provider’s logout endpoint if a browser must not be sent to its URL', async () => {
  for (const end_session_endpoint of ['javascript:alert(1)', 'http://idp.example/logout', 'https://*/logout']) {
    provider.discovery = saying(documentOf({ end_session_endpoint }));
    expect(await discoveryOf().currentMetadata()).toEqual(JSON.parse(documentOf()));
  }
});

test('the service requests a provider’s discovery document once in ten minutes, however often /docs needs the document', async () => {
  const discovery = discoveryOf();
  const first = await Promise.all([
    discovery.currentMetadata(),
    discovery.currentMetadata(),
    discovery.currentMetadata(),
  ]);
  now += 10 * MINUTE - 1;
  expect([await discovery.currentMetadata(), provider.discoveries - asked]).toEqual([first[0], 1]);
  expect(new Set(first).size).toBe(1);
  now += 1;
  const token_endpoint = `${provider.issuer}/moved`;
  provider.discovery = saying(documentOf({ token_endpoint }));
  expect(await discovery.currentMetadata()).toMatchObject({ token_endpoint });
  expect(provider.discoveries - asked).toBe(2);
});

test('the service requests the discovery document of an unreachable provider again after 30 seconds, and not before', async () => {
  const discovery = discoveryOf();
  provider.discovery = (_request, response) => response.destroy();
  expect(await Promise.all([discovery.currentMetadata(), discovery.currentMetadata()])).toEqual([undefined, undefined]);
  now += MINUTE / 2 - 1;
  provider.discovery = undefined;
  expect([await discovery.currentMetadata(), provider.discoveries - asked]).toEqual([undefined, 1]);
  now += 1;
  expect(await discovery.currentMetadata()).toMatchObject({ issuer: provider.issuer });
});

const SILENCES: Readonly<Record<string, RequestListener>> = {
  'does not answer': () => undefined,
  'stops in the middle of its answer': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
};

test.each(Object.entries(SILENCES))(
  'the service’s request for the provider’s discovery document times out if the provider %s',
  async (_what, silence) => {
    provider.discovery = silence;
    expect(await discoveryOf({ timeoutMs: 1_000 }).currentMetadata()).toBeUndefined();
    expect(provider.discoveries - asked).toBe(1);
  },
);

const NONSENSE: Readonly<Record<string, () => RequestListener>> = {
  'is of another issuer': () => saying(documentOf({ issuer: 'https://idp.example' })),
  'has no issuer': () => saying(documentOf({ issuer: undefined })),
  'is no JSON': () => saying('<!doctype html>'),
  'is a JSON array': () => saying('[]'),
  'is empty': () => saying(''),
  'has the status 500': () => saying(documentOf(), 500),
  'is larger than 64 KiB': () => saying(documentOf({ more: 'x'.repeat(64 * 1024) })),
  'never ends': () => (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    flood(response);
  },
  redirects: () => (_request, response) =>
    response.writeHead(302, { location: '/.well-known/openid-configuration?again' }).end(),
  'has a list as token endpoint': () => saying(documentOf({ token_endpoint: ['https://idp.example/token'] })),
  'names no token endpoint': () => saying(documentOf({ token_endpoint: undefined })),
  'names a plain-http endpoint on another host': () =>
    saying(documentOf({ token_endpoint: 'http://idp.example/token' })),
  'names a javascript: URL': () => saying(documentOf({ authorization_endpoint: 'javascript:alert(1)' })),
  'names a host with a wildcard': () => saying(documentOf({ token_endpoint: 'https://*/token' })),
  'names a host that would end the Content-Security-Policy': () =>
    saying(documentOf({ token_endpoint: 'https://idp.example;script-src/token' })),
};

function flood(response: ServerResponse): void {
  while (!response.destroyed && response.write(' '.repeat(16_384)));
  if (!response.destroyed)
    response.once('drain', () => {
      flood(response);
    });
}

test.each(Object.entries(NONSENSE))(
  'the service does not use a provider’s discovery document that %s',
  async (_what, listener) => {
    provider.discovery = listener();
    const discovery = discoveryOf();
    expect(await discovery.currentMetadata()).toBeUndefined();
    expect(provider.discoveries - asked).toBe(1);
    // The service uses a valid discovery document of the same provider, so the first document was the reason for the
    // refusal.
    provider.discovery = saying(documentOf({ more: 'x'.repeat(63 * 1024) }));
    now += MINUTE;
    expect(await discovery.currentMetadata()).toEqual(JSON.parse(documentOf()));
  },
);

test('the service sends no request to an issuer with a plain-http URL on another host', async () => {
  const { port } = new URL(provider.issuer);
  const issuer = `http://0.0.0.0:${port}`;
  const endpoint = 'https://a.example/';
  provider.discovery = saying(documentOf({ issuer, authorization_endpoint: endpoint, token_endpoint: endpoint }));
  expect([await discoveryOf({ issuer }).currentMetadata(), provider.discoveries - asked]).toEqual([undefined, 0]);
});

test('without AUTH_JWKS_URL the service fetches the keys from the jwks_uri of the provider’s discovery, and asks once for it', async () => {
  const find = createKeySetUrlFinder({ issuer: provider.issuer });
  expect(await Promise.all([find(), find()])).toEqual([provider.jwksUrl, provider.jwksUrl]);
  expect([await find(), provider.discoveries - asked]).toEqual([provider.jwksUrl, 1]);
  expect(await createKeySetUrlFinder({ issuer: provider.issuer, jwksUrl: 'https://keys.example/' })()).toBe(
    'https://keys.example/',
  );
  expect(provider.discoveries - asked).toBe(1);
});

test('the service fetches the keys of a provider without a discovery document from /.well-known/jwks.json', async () => {
  provider.discovery = saying('', 404);
  const find = createKeySetUrlFinder({ issuer: `${provider.issuer}/` });
  expect(await find()).toBe(`${provider.issuer}/.well-known/jwks.json`);
});

test('the service fetches no keys while the provider’s discovery is unusable, and asks for it again', async () => {
  const find = createKeySetUrlFinder({ issuer: provider.issuer });
  for (const [body, status] of [
    [documentOf({ jwks_uri: 'https://keys.example/', issuer: 'https://idp.example' }), 200],
    [documentOf(), 200],
    [documentOf({ jwks_uri: 7 }), 200],
    [documentOf({ jwks_uri: 'file:///etc/keys' }), 200],
    ['<!doctype html>', 200],
    [documentOf(), 503],
  ] as const) {
    provider.discovery = saying(body, status);
    await expect(find()).rejects.toThrow();
  }
  provider.discovery = saying(documentOf({ jwks_uri: 'https://keys.example/a' }));
  expect(await find()).toBe('https://keys.example/a');
});
