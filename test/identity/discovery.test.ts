import type { RequestListener, ServerResponse } from 'node:http';
import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { createLoginDiscovery } from '../../src/identity/discovery.ts';
import type { LoginDiscovery } from '../../src/identity/discovery.ts';
import { startForeignProvider } from '../support/foreign-provider.ts';

/* What the page of /docs may know of an identity provider, from the provider's own discovery and nothing else. */

const MINUTE = 60_000;

let asked: number;
let now: number;

// The provider warns on the console of every default that it thinks a production should change.
for (const method of ['info', 'warn'] as const) jest.spyOn(console, method).mockReturnValue();
const provider = await startForeignProvider();
await provider.allow('docs', 'http://127.0.0.1/docs');

afterAll(async () => {
  jest.restoreAllMocks();
  await provider.close();
});
beforeEach(() => {
  provider.discovery = undefined;
  asked = provider.discoveries;
  now = 0;
});

function discoveryOf({
  issuer = provider.issuer,
  timeoutMs = 60_000,
}: {
  issuer?: string;
  timeoutMs?: number;
} = {}): LoginDiscovery {
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

test('a provider that lets no page read its discovery says to the service where a browser logs in and out', async () => {
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

test('a provider without a logout of its own, and with endpoints elsewhere, can be logged in at', async () => {
  const elsewhere = { token_endpoint: 'https://tokens.example/token' };
  provider.discovery = saying(documentOf(elsewhere));
  expect(await discoveryOf().currentMetadata()).toEqual(JSON.parse(documentOf(elsewhere)));
});

test('a provider that is asked for again and again is asked once in ten minutes', async () => {
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

test('a provider that is away is asked once in half a minute, and is there again after it', async () => {
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

test.each(Object.entries(SILENCES))('a provider that %s is given up', async (_what, silence) => {
  provider.discovery = silence;
  expect(await discoveryOf({ timeoutMs: 1_000 }).currentMetadata()).toBeUndefined();
  expect(provider.discoveries - asked).toBe(1);
});

const NONSENSE: Readonly<Record<string, () => RequestListener>> = {
  'is of another issuer': () => saying(documentOf({ issuer: 'https://idp.example' })),
  'has no issuer': () => saying(documentOf({ issuer: undefined })),
  'is no JSON': () => saying('<!doctype html>'),
  'is a list': () => saying('[]'),
  'says nothing': () => saying(''),
  'is an error': () => saying(documentOf(), 500),
  'is larger than 64 KiB': () => saying(documentOf({ more: 'x'.repeat(64 * 1024) })),
  'never ends': () => (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    flood(response);
  },
  'is elsewhere': () => (_request, response) =>
    response.writeHead(302, { location: '/.well-known/openid-configuration?again' }).end(),
  'names no token endpoint': () => saying(documentOf({ token_endpoint: undefined })),
  'names a plain endpoint elsewhere': () => saying(documentOf({ token_endpoint: 'http://idp.example/token' })),
  'names a script': () => saying(documentOf({ authorization_endpoint: 'javascript:alert(1)' })),
  'names every host': () => saying(documentOf({ token_endpoint: 'https://*/token' })),
  'names a host that ends a policy': () =>
    saying(documentOf({ token_endpoint: 'https://idp.example;script-src/token' })),
  'names no address to log out at': () => saying(documentOf({ end_session_endpoint: 7 })),
};

function flood(response: ServerResponse): void {
  while (!response.destroyed && response.write(' '.repeat(16_384)));
  if (!response.destroyed)
    response.once('drain', () => {
      flood(response);
    });
}

test.each(Object.entries(NONSENSE))('a document that %s lets nobody log in', async (_what, listener) => {
  provider.discovery = listener();
  const discovery = discoveryOf();
  expect(await discovery.currentMetadata()).toBeUndefined();
  expect(provider.discoveries - asked).toBe(1);
  // The same provider later, so that nothing else was the reason.
  provider.discovery = saying(documentOf({ more: 'x'.repeat(63 * 1024) }));
  now += MINUTE;
  expect(await discovery.currentMetadata()).toEqual(JSON.parse(documentOf()));
});

test('an issuer elsewhere is not asked over a connection that anybody can read', async () => {
  const { port } = new URL(provider.issuer);
  const issuer = `http://0.0.0.0:${port}`;
  provider.discovery = saying(
    documentOf({
      issuer,
      authorization_endpoint: 'https://a.example/',
      token_endpoint: 'https://a.example/',
    }),
  );
  expect([await discoveryOf({ issuer }).currentMetadata(), provider.discoveries - asked]).toEqual([undefined, 0]);
});
