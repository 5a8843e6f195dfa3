import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { freePort } from '../../src/embedded/postgres/free-port.ts';
import { createTestDatabase, withAdmin } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { ask } from '../support/http.ts';
import { askTokens, beginLogin, exchange, openBrowser, refresh } from '../support/login.ts';
import { addressOf, start } from '../support/process.ts';
import type { Started } from '../support/process.ts';
import { createProviderLogin } from '../support/provider.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { CERTIFICATE, startTlsProxy } from '../support/tls-proxy.ts';
import type { TlsProxy } from '../support/tls-proxy.ts';
import { cheapHash, PRESENT } from '../support/user-with-password.ts';

/* IDENTITY_EMBEDDED=production: two instances, started at once, behind one proxy that ends TLS. */

const ORIGIN = 'https://app.example';
const REDIRECT = `${ORIGIN}/callback`;
const EMAIL = 'claire@firm.example';
const trusted = tls.getCACertificates('default');

let folder: string;
let postgres: TestDatabase;
let login: Awaited<ReturnType<typeof createProviderLogin>>;
let proxy: TlsProxy;
let issuer: string;
let instances: readonly Started[] = [];
let apis: readonly number[] = [];

beforeAll(async () => {
  tls.setDefaultCACertificates([...trusted, CERTIFICATE]);
  folder = await createScratchFolder();
  postgres = await createTestDatabase();
  login = await createProviderLogin(postgres);
  const hash = await cheapHash(PRESENT);
  await withAdmin(postgres.adminUrl, (admin) =>
    admin.query(
      `insert into public.users (email, password_hash, name, role, subject)
       values ($1, $2, 'Claire', 'ADMIN', 'idp|claire')`,
      [EMAIL, hash],
    ),
  );
  proxy = await startTlsProxy();
  issuer = `https://localhost:${proxy.port}`;
  const ports = [await freePort(0), await freePort(0)];
  instances = ports.map((port) =>
    start(folder, {
      ...{ NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'error', DATA_DIR: join(folder, 'data') },
      ...{ DATABASE_URL: postgres.apiUrl, IDENTITY_DATABASE_URL: login.url, TRUST_PROXY: '1' },
      ...{ IDENTITY_EMBEDDED: 'production', IDENTITY_ISSUER: issuer, IDENTITY_PORT: String(port) },
      CORS_ORIGINS: ORIGIN,
    }),
  );
  apis = (await Promise.all(instances.map(addressOf))).map((url) => Number(new URL(url).port));
  proxy.targets = ports;
});

afterAll(async () => {
  for (const instance of instances) instance.signal('SIGTERM');
  const ended = await Promise.all(instances.map((instance) => instance.ended));
  tls.setDefaultCACertificates(trusted);
  await proxy.close();
  await login.drop();
  await postgres.close();
  await rm(folder, { recursive: true });
  expect([ended, instances.map(({ err }) => err)]).toEqual([
    [0, 0],
    ['', ''],
  ]);
});

test('both say one address, which is the proxy’s, and have the same keys', async () => {
  const said = [];
  for (const path of ['openid-configuration', 'jwks.json']) {
    for (let turn = 0; turn < instances.length; turn += 1) {
      const answer = await fetch(`${issuer}/.well-known/${path}`);
      said.push(await answer.text());
      expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
    }
  }
  expect([said[0], said[2]]).toEqual([said[1], said[3]]);
  expect(JSON.parse(said[0] ?? '')).toMatchObject({ issuer, token_endpoint: `${issuer}/token` });
  expect(said[0]).not.toContain('http://');
});

test('a login of which each request meets the other is one login, in cookies that TLS and no script sees', async () => {
  const browser = openBrowser(issuer);
  const cookies: string[] = [];
  const listening = {
    ...browser,
    open: async (...given: Parameters<typeof browser.open>) => {
      const answer = await fetch(given[0], { redirect: 'manual' });
      cookies.push(...answer.headers.getSetCookie());
      return browser.open(...given);
    },
  };
  const begun = await beginLogin(listening, { redirectUri: REDIRECT });
  const { left } = await begun.submit(EMAIL, PRESENT, { origin: issuer });
  const { body } = await askTokens(issuer, exchange(begun, left));
  cookies.push(...(await browser.ask(`${issuer}/session/end`)).headers.getSetCookie());
  for (const port of apis)
    expect((await ask(port, 'GET /api/clients', { token: body.access_token })).status).toBe(200);
  expect(decodeProtectedHeader(body.access_token).kid).toBe(decodeProtectedHeader(body.id_token).kid);
  expect((await refresh(issuer, body.refresh_token)).status).toBe(200);
  // Used once at the one instance, it is used at the other.
  expect((await refresh(issuer, body.refresh_token)).body.error).toBe('invalid_grant');
  const named = cookies.map((cookie) => /^[a-z]+/.exec(cookie)?.[0]);
  expect(new Set(named)).toEqual(new Set(['interaction', 'resume', 'session']));
  for (const cookie of cookies)
    expect(cookie).toMatch(/^(?=.*; secure)(?=.*; httponly)(?=.*; samesite=lax)/i);
});

test('guesses count at both together', async () => {
  proxy.client = '198.51.100.2';
  const begun = await beginLogin(openBrowser(issuer), { redirectUri: REDIRECT });
  const statuses = [];
  for (let guess = 0; guess < 12; guess += 1)
    statuses.push((await begun.submit(EMAIL, 'a wrong guess', { origin: issuer })).status);
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429, 429]);
});
