import { afterAll, expect, test } from '@jest/globals';
import * as client from 'openid-client';
import { startDemonstration } from '../support/demonstration-process.ts';
import { form, openBrowser } from '../support/login.ts';
import type { Browser } from '../support/login.ts';

/* In this test the client library openid-client logs in at the embedded identity provider of `npm start`. */

const EMAIL = 'marc.lefevre@cabinet.example';
const REDIRECT = 'http://localhost:5173/';

const demonstration = await startDemonstration();

afterAll(async () => {
  expect(await demonstration.end()).toBe(0);
});

/** Submits the form of an HTML page with its hidden fields and the given fields. */
async function submit(browser: Browser, at: string, page: string, fields: Record<string, string>) {
  const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  return browser.open(new URL(action, at).href, form({ ...Object.fromEntries(hidden), ...fields }));
}

async function clientsOf(token: string): Promise<[status: number, count: number]> {
  const answer = await fetch(`${demonstration.url}/api/clients`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const body: unknown = await answer.json();
  return [answer.status, Array.isArray(body) ? body.length : 0];
}

test('openid-client discovers the embedded provider, logs a user in, calls the API, renews the token and logs out', async () => {
  const { issuer } = demonstration;
  const password = demonstration.passwordOf(EMAIL);
  const configuration = await client.discovery(new URL(issuer), 'taxclaims-frontend', undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  });
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const expectedNonce = client.randomNonce();
  const authorization = client.buildAuthorizationUrl(configuration, {
    ...{ redirect_uri: REDIRECT, scope: 'openid profile email', state: expectedState, nonce: expectedNonce },
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });

  const browser = openBrowser(issuer);
  const login = await browser.open(authorization.href);
  const refused = await submit(browser, login.at, login.text, { email: EMAIL, password: 'a wrong one' });
  expect([refused.status, refused.left]).toEqual([403, undefined]);
  const returned = await submit(browser, refused.at, refused.text, {
    email: EMAIL,
    password,
  });

  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
  const callback = new URL(returned.left ?? '');
  const tokens = await client.authorizationCodeGrant(configuration, callback, checks);
  expect(tokens.claims()).toMatchObject({ email: EMAIL, email_verified: true, name: 'Marc Lefèvre' });
  expect(await clientsOf(tokens.access_token)).toEqual([200, 3]);

  const renewed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
  expect(renewed.access_token).not.toBe(tokens.access_token);
  expect(await clientsOf(renewed.access_token)).toEqual([200, 3]);

  const ending = client.buildEndSessionUrl(configuration, {
    ...{ post_logout_redirect_uri: REDIRECT, state: 'left' },
    id_token_hint: tokens.id_token ?? '',
  });
  const asked = await browser.open(ending.href);
  const left = await submit(browser, asked.at, asked.text, { logout: 'yes' });
  expect(left.left).toBe(`${REDIRECT}?state=left`);
  const again = client.refreshTokenGrant(configuration, renewed.refresh_token ?? '');
  await expect(again).rejects.toMatchObject({ error: 'invalid_grant' });
  // After the logout the identity provider asks the user for the password again.
  const later = await browser.open(authorization.href);
  expect([later.status, later.left, later.text]).toEqual([200, undefined, expect.stringContaining('password')]);
});
