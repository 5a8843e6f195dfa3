import { afterAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { startDemonstration } from '../support/demonstration-process.ts';
import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { until } from '../support/upload.ts';
import { launchBrowser, openPage } from './browser.ts';
import { startFrontend } from './frontend.ts';

/*
 * Tests a frontend that uses oidc-client-ts and has another origin than the API, against `npm start` with its identity
 * provider.
 */

const EMAIL = 'marc.lefevre@cabinet.example';
const SUBJECT = 'demonstration|marc';
const client = (number: number): string => `c1000000-0000-4000-8000-00000000000${String(number)}`;
const WITHDRAWN = client(2);
/** The site of a client. During the test an ADMIN withdraws this client from the user. */
const SITE = '51000000-0000-4000-8000-000000000003';

let page: Page;

const frontend = await startFrontend();
const demonstration = await startDemonstration({ CORS_ORIGINS: frontend.origin });
const browser = await launchBrowser();

afterAll(async () => {
  await browser.close();
  await frontend.close();
  expect(await demonstration.end()).toBe(0);
});

/** Runs code in the page of the frontend, where `manager` is the UserManager of oidc-client-ts. */
const run = <T>(script: string): Promise<T> =>
  page.evaluate<T>(`(async () => { const manager = new oidc.UserManager(settings); ${script} })()`);

/** Sends a request to the API from the frontend’s page, with the page’s token. */
function call(line: string, body?: object): Promise<{ status: number; json: unknown }> {
  const [method = '', path = ''] = line.split(' ');
  const init = { method, ...(body && { body: JSON.stringify(body) }) };
  return run(`
    const { access_token: token } = await manager.getUser();
    const headers = { Authorization: \`Bearer \${token}\`, 'Content-Type': 'application/json' };
    const answer = await fetch('${demonstration.url}${path}', { ...${JSON.stringify(init)}, headers });
    return { status: answer.status, json: await answer.json() };`);
}

async function logIn(): Promise<{ role?: unknown; client_access?: unknown }> {
  await run('void manager.signinRedirect();');
  await page.getByLabel('Email address').fill(EMAIL);
  await page.getByLabel('Password').fill(demonstration.passwordOf(EMAIL));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(`${frontend.origin}/?**`);
  return decodeJwt(await run<string>('return (await manager.signinCallback()).access_token;'));
}

async function logOut(): Promise<void> {
  await run('void manager.signoutRedirect();');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL(`${frontend.origin}/`);
}

async function asAdmin(line: string): Promise<Answer> {
  const { port } = new URL(demonstration.url);
  return ask(Number(port), line, { token: await demonstration.tokenOf('ADMIN') });
}

/**
 * The identity provider’s record of the user. The service reads the same record through the provider’s management
 * interface.
 */
async function known(): Promise<unknown> {
  const answer = await fetch(`${demonstration.issuer}/api/v2/users/${encodeURIComponent(SUBJECT)}`, {
    headers: { authorization: `Bearer ${await demonstration.credential()}` },
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

test('a frontend’s user logs in, renews the token, is refused after losing a client, and has the new rights after the next login', async () => {
  const opened = await openPage(browser, { locale: 'en' });
  ({ page } = opened);
  const settings = {
    ...{ authority: demonstration.issuer, client_id: 'taxclaims-frontend', scope: 'openid profile email' },
    ...{ redirect_uri: `${frontend.origin}/`, post_logout_redirect_uri: `${frontend.origin}/` },
  };
  await page.addInitScript(`globalThis.settings = ${JSON.stringify(settings)}`);
  await page.goto(`${frontend.origin}/`);

  const all = [client(1), WITHDRAWN, client(3)];
  expect(await logIn()).toMatchObject({ role: 'ACCOUNT_MANAGER', client_access: all });

  // A renewal of the login gives the user another token with the same rights.
  const renewed = await run(`
    const { access_token: before } = await manager.getUser();
    const { access_token: after } = await manager.signinSilent();
    return before !== after;`);
  expect(renewed).toBe(true);
  const claim = { client_id: WITHDRAWN, site_id: SITE, claim_type: 'TF', amount: 1200.5 };
  const created = await call('POST /api/reclamations', claim);
  expect(created).toMatchObject({ status: 201, json: { status: 'DRAFT', client_id: WITHDRAWN } });
  const { id } = created.json as { id: string };
  const moved = await call(`PUT /api/reclamations/${id}`, { status: 'READY_FOR_REVIEW' });
  expect(moved).toMatchObject({ status: 200, json: { status: 'READY_FOR_REVIEW' } });

  const found = await asAdmin('GET /api/users?q=marc.lefevre');
  expect(found).toMatchObject({ status: 200, json: [{ email: EMAIL }] });
  const [{ id: user = '' } = {}] = found.json as { id?: string }[];
  expect((await asAdmin(`DELETE /api/users/${user}/client-access/${WITHDRAWN}`)).status).toBe(204);

  // The service refuses the user’s next requests, but the user’s claim stays.
  expect(await call('GET /api/clients')).toMatchObject({
    status: 401,
    json: { error: { code: 'ERROR_UNAUTHORIZED' } },
  });
  expect((await call(`GET /api/reclamations/${id}`)).status).toBe(401);
  expect((await asAdmin(`GET /api/reclamations/${id}`)).json).toMatchObject({ status: 'READY_FOR_REVIEW' });

  // The service sends the user’s changed rights to the identity provider.
  const left = [client(1), client(3)];
  const delivered = `GET /api/identity-changes?user_id=${user}&state=DELIVERED`;
  await until(async () => ((await asAdmin(delivered)).json as unknown[]).length > 0);
  expect((await asAdmin(delivered)).json).toEqual([
    expect.objectContaining({
      ...{ user_id: user, state: 'DELIVERED', role: 'ACCOUNT_MANAGER', client_access: left },
      ...{ actor: 'demonstration|claire', is_active: true, ends_tokens: true },
    }),
  ]);
  expect((await asAdmin('GET /api/identity-changes?state=WAITING,FAILING')).json).toEqual([]);
  expect(await known()).toMatchObject({
    ...{ user_id: SUBJECT, blocked: false },
    app_metadata: { role: 'ACCOUNT_MANAGER', client_access: left },
  });
  expect((await call('GET /api/clients')).status).toBe(401);

  // The user’s next login gives a token with the new rights.
  await logOut();
  expect(await logIn()).toMatchObject({ role: 'ACCOUNT_MANAGER', client_access: left });
  const { status, json } = await call('GET /api/clients');
  expect([status, (json as { id: string }[]).map((one) => one.id).sort()]).toEqual([200, left]);
  expect((await call(`GET /api/reclamations/${id}`)).status).toBe(403);
  // The browser’s console also reports each response 401 and 403 of the API, as the test expects.
  expect(opened.complaints.filter((complaint) => !/status of 40[13]/.test(complaint))).toEqual([]);
  await page.context().close();
});
