import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { beginLogin, logIn, openBrowser, refresh } from '../../support/login.ts';
import { openProviderWorld } from '../../support/provider.ts';
import type { ProviderWorld } from '../../support/provider.ts';

let world: ProviderWorld;
let issuer: string;

beforeAll(async () => {
  world = await openProviderWorld();
  ({ issuer } = world.provider);
});
afterAll(() => world.close());

test('whoever has the login of the provider at the database alone makes no refresh token of anybody', async () => {
  const { email, password } = await world.person();
  await logIn(issuer, email, password);
  const chosen = randomBytes(32).toString('base64url');
  const [kept] = await world.admin(
    `select payload, account, grant_id from app.identity_artifacts where kind = 'RefreshToken'`,
  );
  await world.database.callAsLogin({
    text: 'select app.keep_artifact($1, $2, $3, $4, $5, $6, $7, $8)',
    values: [
      'RefreshToken',
      createHash('sha256').update(chosen).digest('hex'),
      JSON.stringify(kept?.['payload']),
      String(kept?.['account']),
      Math.floor(Date.now() / 1000) + 60,
      String(kept?.['grant_id']),
      null,
      600,
    ],
  });
  const { status, body } = await refresh(issuer, chosen);
  expect([status, body.error]).toEqual([400, 'invalid_grant']);
});

test.each(['state', 'nonce', 'login_hint'])('U+0000 in %s is refused as a wrong request', async (name) => {
  const query = new URLSearchParams({
    ...{ client_id: 'taxclaims-frontend', redirect_uri: 'http://localhost:5173/callback' },
    ...{ response_type: 'code', scope: 'openid', code_challenge: 'v'.repeat(43) },
    ...{ code_challenge_method: 'S256', [name]: 'a\0b' },
  });
  const { left, status } = await openBrowser(issuer).open(`${issuer}/auth?${query.toString()}`);
  expect([status, new URL(left ?? issuer).searchParams.get('error')]).toEqual([303, 'invalid_request']);
});

test('what reads like an escaped U+0000 is a text like others', async () => {
  const begun = await beginLogin(openBrowser(issuer), { parameters: { state: String.raw`\u0000` } });
  expect(begun.page.status).toBe(200);
});
