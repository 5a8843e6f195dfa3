import { createHash } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { genSaltSync, hashSync } from 'bcryptjs';
import { decodeJwt } from 'jose';
import {
  askTokens,
  beginLogin,
  exchange,
  FRONTEND,
  form,
  logIn,
  openBrowser,
  REDIRECT,
  refresh,
} from '../../support/login.ts';
import { formatWaitTime } from '../../../src/demo/provider/texts.ts';
import { openProviderWorld, verifierOf } from '../../support/provider.ts';
import type { Person } from '../../support/provider.ts';
import { forSuite } from '../../support/suite.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'bbbbbbbb-0000-4000-8000-000000000002';

const world = await forSuite(openProviderWorld({ CORS_ORIGINS: 'https://app.example', TRUST_PROXY: '1' }));
const { issuer } = world.provider;
await world.admin(
  `insert into public.clients (id, company_name, contact_email) values ($1, 'A', 'a@a.example'), ($2, 'B', 'b@b.example')`,
  [A, B],
);

const withClients = (): Promise<Person> => world.person({ client_access: [A, B] });

const verify = (token: string): Promise<unknown> => verifierOf(world.provider).verify(token);

test('a user logs in with email and password, and gets a token that the service accepts', async () => {
  const { email, password } = await withClients();
  const tokens = await logIn(issuer, email.toUpperCase(), password);
  expect(await verify(tokens.access_token)).toMatchObject({
    ...{ role: 'ACCOUNT_MANAGER', clientAccess: [A, B], email },
  });
  expect(decodeJwt(tokens.id_token)).toMatchObject({ aud: FRONTEND, email, email_verified: true });
  expect(tokens.expires_in).toBe(900);
});

test('a token of the embedded identity provider has the user’s id as subject if the user has no stored subject', async () => {
  const { id, email, password } = await world.person({ subject: null });
  const { access_token: token } = await logIn(issuer, email, password);
  expect(await verify(token)).toMatchObject({ subject: id, userId: id });
});

test('the embedded identity provider does not ask a user for the password again while the login lasts', async () => {
  const { email, password } = await withClients();
  const { browser } = await logIn(issuer, email, password);
  const { left } = await browser.open(
    `${issuer}/auth?${new URLSearchParams({
      ...{ client_id: FRONTEND, redirect_uri: REDIRECT, response_type: 'code', scope: 'openid' },
      ...{ code_challenge_method: 'S256', code_challenge: 'a'.repeat(43) },
    }).toString()}`,
  );
  expect(left).toMatch(/^http:\/\/localhost:5173\/\?code=/);
});

test('the login page of the embedded identity provider is in the program’s language and names the program', async () => {
  const { email, password } = await withClients();
  const parameters = { prompt: 'login consent', ui_locales: 'fr-CA fr' };
  const begun = await beginLogin(openBrowser(issuer), { parameters });
  expect(begun.page.headers.get('content-language')).toBe('fr');
  expect(begun.page.text).toContain('pour accéder à l’application Réclamations fiscales');
  const refused = await begun.submit(email, 'a wrong guess');
  expect(refused.text).toContain('ne correspondent pas');
  expect((await begun.submit(email, password)).left).toContain('code=');
  const docs = { client: 'taxclaims-docs', redirectUri: 'http://127.0.0.1:3000/docs' };
  const inEnglish = await beginLogin(openBrowser(issuer), docs);
  expect(inEnglish.page.text).toContain('to continue to the API documentation');
  const { browser, id_token } = await logIn(issuer, email, password);
  const query = new URLSearchParams({ id_token_hint: id_token, ui_locales: 'fr' });
  const logout = await browser.open(`${issuer}/session/end?${query.toString()}`);
  expect(logout.text).toContain('Vous quittez l’application Réclamations fiscales.');
  const wrong = await browser.open(`${issuer}/auth?client_id=unknown&ui_locales=fr`);
  expect(wrong.text).toContain('Cette connexion est impossible');
});

const outcome = async (email: string, password: string) => {
  const begun = await beginLogin(openBrowser(issuer));
  const { status, left, text } = await begun.submit(email, password);
  return { status, left, text: text.replaceAll(/value="[^"]*"|action="[^"]*"/g, '') };
};

test('a login fails with the same page for a wrong password, an unknown email, an inactive user and a user without a password', async () => {
  const known = await withClients();
  const inactive = await world.person({ is_active: false });
  const without = await world.person({ password_hash: '!' });
  const wrong = await outcome(known.email, 'another password');
  expect([wrong.status, wrong.left]).toEqual([403, undefined]);
  for (const [email, password] of [
    ['nobody@firm.example', 'another password'],
    [inactive.email, inactive.password],
    [without.email, '!'],
    [known.email, `${known.password}${'x'.repeat(80)}`],
  ] as const) {
    expect(await outcome(email, password)).toEqual(wrong);
  }
  expect((await outcome(known.email, known.password)).left).toContain('code=');
});

test('the embedded identity provider refuses a login from a form of another website, and a login without its cookie', async () => {
  const { email, password } = await withClients();
  const begun = await beginLogin(openBrowser(issuer));
  const foreign = await begun.submit(email, password, { origin: 'https://evil.example' });
  expect([foreign.status, foreign.left]).toEqual([403, undefined]);
  const stranger = await openBrowser(issuer).open(begun.action, form({ email, password }));
  expect([stranger.status, stranger.left]).toEqual([400, undefined]);
  const other = await beginLogin(openBrowser(issuer));
  const crossed = await begun.browser.open(other.action, form({ email, password }));
  expect([crossed.status, crossed.left]).toEqual([400, undefined]);
  expect((await begun.submit(email, password, { origin: issuer })).left).toContain('code=');
});

test('the embedded identity provider refuses a login whose body is too large or not a form', async () => {
  const begun = await beginLogin(openBrowser(issuer));
  expect((await begun.submit('x'.repeat(9_000), 'y')).status).toBe(413);
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  expect((await begun.browser.open(begun.action, json)).status).toBe(403);
});

const parameters = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };

test.each([
  ['no PKCE code challenge', { code_challenge: '', code_challenge_method: '' }],
  ['a plain PKCE code challenge', { ...parameters, code_challenge_method: 'plain' }],
  ['another response type than code', { ...parameters, response_type: 'id_token' }],
])('the embedded identity provider shows no login page to a program with %s', async (_, given) => {
  const query = new URLSearchParams({
    ...{ client_id: FRONTEND, redirect_uri: REDIRECT, response_type: 'code', scope: 'openid' },
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
  });
  const { left, text } = await openBrowser(issuer).open(`${issuer}/auth?${query.toString()}`);
  expect(left ?? text).toMatch(/invalid_request|unsupported_response_type|unauthorized_client/);
  expect(left ?? '').not.toContain('code=');
});

test.each([
  ['http://localhost:5173/', FRONTEND, true],
  ['http://[::1]:4200/', FRONTEND, true],
  ['https://app.example/', FRONTEND, true],
  ['http://localhost:5173', FRONTEND, false],
  ['http://localhost:5173/callback', FRONTEND, true],
  ['http://localhost:5173/a/../callback', FRONTEND, false],
  ['http://localhost:5173/?to=//evil.example', FRONTEND, false],
  ['http://localhost:5173/#', FRONTEND, false],
  ['http://localhost:5173//evil.example/', FRONTEND, false],
  ['http://LOCALHOST:5173/', FRONTEND, false],
  ['https://evil.example/', FRONTEND, false],
  ['https://app.example.evil.example/', FRONTEND, false],
  ['https://app.example@evil.example/', FRONTEND, false],
  ['https://evil.example@app.example/', FRONTEND, false],
  ['http://localhost.evil.example/', FRONTEND, false],
  ['http://app.example/', FRONTEND, false],
  ['javascript://localhost/', FRONTEND, false],
  ['http://127.0.0.1:3000/docs', 'taxclaims-docs', true],
  ['http://127.0.0.1:3000/docs/', 'taxclaims-docs', false],
  ['http://127.0.0.1:3000/docs?x', 'taxclaims-docs', false],
  ['http://127.0.0.1:3000/', 'taxclaims-docs', false],
  ['http://127.0.0.1:3000/docs', FRONTEND, true],
  ['http://127.0.0.1:3000/', 'somebody-else', false],
])(
  'whether the redirect URI %s of the program %s is accepted by the embedded identity provider: %s',
  async (redirectUri, client, expected) => {
    const { page } = await beginLogin(openBrowser(issuer), { client, redirectUri });
    expect([page.status === 200, page.text.includes('name="password"'), page.left]).toEqual([
      expected,
      expected,
      undefined,
    ]);
  },
);

test('a program gets tokens for an authorization code once, and only with the code’s PKCE verifier', async () => {
  const { email, password } = await withClients();
  const begun = await beginLogin(openBrowser(issuer));
  const { left } = await begun.submit(email, password);
  const good = exchange(begun, left);
  expect((await askTokens(issuer, { ...good, code_verifier: 'b'.repeat(43) })).status).toBe(400);
  const again = await beginLogin(openBrowser(issuer));
  const { left: second } = await again.submit(email, password);
  const answers = await Promise.all([1, 2, 3].map(() => askTokens(issuer, exchange(again, second))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
});

test('only a page of a trusted origin can read the tokens of the embedded identity provider', async () => {
  const { email, password } = await withClients();
  const ask = async (origin: string) => {
    const begun = await beginLogin(openBrowser(issuer));
    const { left } = await begun.submit(email, password);
    const { status, headers } = await askTokens(issuer, exchange(begun, left), { origin });
    return [status, headers.get('access-control-allow-origin')];
  };
  expect(await ask('http://localhost:5173')).toEqual([200, 'http://localhost:5173']);
  expect(await ask('https://app.example')).toEqual([200, 'https://app.example']);
  expect(await ask('https://evil.example')).toEqual([400, null]);
});

test('a program gets new tokens for a refresh token once, and a second use of the refresh token ends the whole login', async () => {
  const { email, password } = await withClients();
  const first = await logIn(issuer, email, password);
  const second = await refresh(issuer, first.refresh_token);
  expect(second.status).toBe(200);
  expect(second.body.refresh_token).not.toBe(first.refresh_token);
  // A token response is allowed to leave out the scope if the program got the scope that it requested, but an empty
  // scope is invalid.
  for (const tokens of [first, second.body]) expect(tokens).not.toHaveProperty('scope');
  expect((await refresh(issuer, first.refresh_token)).body.error).toBe('invalid_grant');
  expect((await refresh(issuer, second.body.refresh_token)).body.error).toBe('invalid_grant');
});

test('the embedded identity provider refuses a refresh with an unknown token or by another program, without ending the login', async () => {
  const { email, password } = await withClients();
  const { refresh_token: token, access_token: access } = await logIn(issuer, email, password);
  const { length } = token;
  const wrong = ['', 'x', 'x'.repeat(length), `${token}x`, token.slice(0, -1), token.toUpperCase(), access];
  for (const one of wrong) expect((await refresh(issuer, one)).status).toBe(400);
  const asOther = await refresh(issuer, token, 'taxclaims-docs');
  expect([asOther.status, asOther.body.error]).toEqual([400, 'invalid_grant']);
  expect((await refresh(issuer, token, 'nobody')).body.error).toBe('invalid_client');
  expect((await refresh(issuer, token)).status).toBe(200);
});

test('a refreshed token has the user’s present rights', async () => {
  const { email, password } = await withClients();
  const tokens = await logIn(issuer, email, password);
  await world.admin('update public.users set client_access = $2 where email = $1', [email, [B]]);
  const { body } = await refresh(issuer, tokens.refresh_token);
  expect(decodeJwt(body.access_token)).toMatchObject({ client_access: [B] });
});

test.each([
  ['the user was made inactive', 'is_active = false'],
  ['the password was changed', `password_hash = '${hashSync('quite another', genSaltSync(4))}'`],
])('the embedded identity provider refuses a refresh token and its session once %s', async (_, change) => {
  const { email, password } = await withClients();
  const tokens = await logIn(issuer, email, password);
  await world.admin(`update public.users set ${change} where email = $1`, [email]);
  expect((await refresh(issuer, tokens.refresh_token)).body.error).toBe('invalid_grant');
  const again = await beginLogin(tokens.browser);
  expect(again.page.text).toContain('name="password"');
});

test('the embedded identity provider refuses a refresh token after a logout that the user has confirmed', async () => {
  const { email, password } = await withClients();
  const { browser, ...tokens } = await logIn(issuer, email, password);
  const query = new URLSearchParams({ id_token_hint: tokens.id_token, post_logout_redirect_uri: REDIRECT });
  const page = await browser.open(`${issuer}/session/end?${query.toString()}`);
  const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(page.text)?.[1] ?? '';
  const done = await browser.open(
    field('action'),
    form({ xsrf: /name="xsrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '', logout: 'yes' }),
  );
  expect(done.left).toBe(REDIRECT);
  expect((await refresh(issuer, tokens.refresh_token)).body.error).toBe('invalid_grant');
  expect((await beginLogin(browser)).page.text).toContain('name="password"');
});

test('the Content-Security-Policy of a logout page allows only the script that sends its form', async () => {
  const answer = await fetch(`${issuer}/session/end`);
  const scripts = [...(await answer.text()).matchAll(/<script>(.*?)<\/script>/gs)].map(([, code = '']) => code);
  const digests = scripts.map((code) => ` 'sha256-${createHash('sha256').update(code).digest('base64')}'`);
  const policy = answer.headers.get('content-security-policy');
  expect([answer.status, scripts.length]).toEqual([200, 1]);
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).toContain(`;script-src 'self'${digests.join('')};`);
  expect(policy).toContain(";frame-ancestors 'none';");
});

test('the embedded identity provider refuses a refresh token that was revoked', async () => {
  const { email, password } = await withClients();
  const tokens = await logIn(issuer, email, password);
  const revoked = await fetch(`${issuer}/token/revocation`, form({ client_id: FRONTEND, token: tokens.refresh_token }));
  expect(revoked.status).toBe(200);
  expect((await refresh(issuer, tokens.refresh_token)).body.error).toBe('invalid_grant');
});

test('a restart of the embedded identity provider ends all logins, and keeps the issuer and the management token', async () => {
  const { email, password } = await withClients();
  const tokens = await logIn(issuer, email, password);
  const { management } = world.provider;
  await world.restart();
  expect(world.provider).toMatchObject({ issuer, management });
  expect((await refresh(issuer, tokens.refresh_token)).body.error).toBe('invalid_grant');
  expect((await beginLogin(tokens.browser)).page.text).toContain('name="password"');
  expect(await verify(tokens.access_token)).toMatchObject({ email });
});

const from = (address: string) => ({ 'x-forwarded-for': address });

test('after ten wrong passwords from one address the login page says how long to wait', async () => {
  const { email, password } = await withClients();
  const begun = await beginLogin(openBrowser(issuer));
  for (const who of [email, 'nobody-at-all@firm.example']) {
    const guess = () => begun.submit(who, 'a wrong guess', from('198.51.100.1'));
    const statuses = [];
    for (let count = 0; count < 10; count += 1) statuses.push((await guess()).status);
    expect(new Set(statuses)).toEqual(new Set([403]));
    // After ten wrong passwords the identity provider also refuses the correct password, even with the email in another
    // letter case.
    const late = await begun.submit(who.toUpperCase(), password, from('198.51.100.1'));
    expect([late.status, late.left]).toEqual([429, undefined]);
    const waitSeconds = Number(late.headers.get('retry-after'));
    expect(waitSeconds).toBeGreaterThan(0);
    expect(late.text).toContain(`Try again in ${formatWaitTime('en', waitSeconds)}.`);
  }
  expect((await begun.submit(email, password, from('198.51.100.2'))).left).toContain('code=');
});

test('the embedded identity provider counts each simultaneous wrong password of a user, and no correct password', async () => {
  const { email, password } = await withClients();
  const begun = await beginLogin(openBrowser(issuer));
  const guesses = Array.from({ length: 12 }, () => begun.submit(email, 'a wrong guess', from('198.51.100.3')));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  for (let login = 0; login < 12; login += 1) {
    const { left } = await (await beginLogin(openBrowser(issuer))).submit(email, password);
    expect(left).toContain('code=');
  }
});

test('the embedded identity provider refuses a password whose stored hash has an excessive cost, without computing it', async () => {
  const { email, password } = await world.person({ password_hash: `$2b$31$${'x'.repeat(53)}` });
  expect((await (await beginLogin(openBrowser(issuer))).submit(email, password)).status).toBe(403);
});

test('if a user logs in right after a change of the password, the tokens are dated after the second of the change', async () => {
  const { id, email, password } = await world.person();
  const hash = hashSync(password, genSaltSync(4));
  await world.admin(`update public.users set password_hash = '!' where id = $1`, [id]);
  await world.admin('update public.users set password_hash = $2 where id = $1', [id, hash]);
  const { access_token: token } = await logIn(issuer, email, password);
  const [{ second } = {}] = await world.admin(
    'select floor(extract(epoch from sessions_ended_at))::integer as second from public.users where id = $1',
    [id],
  );
  expect(decodeJwt(token).iat).toBeGreaterThan(Number(second));
});

test('the wait after ten wrong passwords runs from the first wrong password, and later wrong passwords do not extend the wait', async () => {
  const { email } = await withClients();
  const begun = await beginLogin(openBrowser(issuer));
  const guess = () => begun.submit(email, 'a wrong guess', from('198.51.100.4'));
  await guess();
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 600_000);
  try {
    for (let count = 0; count < 9; count += 1) await guess();
    expect(Number((await guess()).headers.get('retry-after'))).toBeLessThanOrEqual(300);
  } finally {
    clock.mockRestore();
  }
});
