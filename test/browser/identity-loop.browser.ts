import { afterAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { startDemonstration } from '../support/demonstration-process.ts';
import { ask } from '../support/http.ts';
import type { Answer } from '../support/http.ts';
import { until } from '../support/upload.ts';
import { launchBrowser, SIZES } from './browser.ts';
import { startFrontend } from './frontend.ts';

/* From a login to the next one, with other rights: `npm start`, its own provider, a frontend elsewhere, a real browser. */

const EMAIL = 'marc.lefevre@cabinet.example';
const SUBJECT = 'demonstration|marc';
const client = (number: number): string => `c1000000-0000-4000-8000-00000000000${String(number)}`;
const WITHDRAWN = client(2);
/** One of that client's. */
const SITE = '51000000-0000-4000-8000-000000000003';

let page: Page;
let complaints: string[];

const frontend = await startFrontend();
const demonstration = await startDemonstration({ CORS_ORIGINS: frontend.origin });
const browser = await launchBrowser();

afterAll(async () => {
  await browser.close();
  await frontend.close();
  expect(await demonstration.end()).toBe(0);
});

/** Runs in the page, with `manager` of oidc-client-ts. */
const run = <T>(script: string): Promise<T> =>
  page.evaluate<T>(`(async () => { const manager = new oidc.UserManager(settings); ${script} })()`);

/** The page asks the API with the token that it has. */
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

/** What the provider says of him, to the service. */
async function known(): Promise<unknown> {
  const answer = await fetch(`${demonstration.issuer}/api/v2/users/${encodeURIComponent(SUBJECT)}`, {
    headers: { authorization: `Bearer ${await demonstration.credential()}` },
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

test('a user who loses a client is refused at the next request, and the next login has the new rights', async () => {
  page = await (await browser.newContext({ viewport: SIZES.desk, locale: 'en' })).newPage();
  complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  const settings = {
    ...{ authority: demonstration.issuer, client_id: 'taxclaims-frontend', scope: 'openid profile email' },
    ...{ redirect_uri: `${frontend.origin}/`, post_logout_redirect_uri: `${frontend.origin}/` },
  };
  await page.addInitScript(`globalThis.settings = ${JSON.stringify(settings)}`);
  await page.goto(`${frontend.origin}/`);

  // He logs in.
  const all = [client(1), WITHDRAWN, client(3)];
  expect(await logIn()).toMatchObject({ role: 'ACCOUNT_MANAGER', client_access: all });

  // He works.
  const claim = { client_id: WITHDRAWN, site_id: SITE, claim_type: 'TF', amount: 1200.5 };
  const created = await call('POST /api/reclamations', claim);
  expect(created).toMatchObject({ status: 201, json: { status: 'DRAFT', client_id: WITHDRAWN } });
  const { id } = created.json as { id: string };
  const moved = await call(`PUT /api/reclamations/${id}`, { status: 'READY_FOR_REVIEW' });
  expect(moved).toMatchObject({ status: 200, json: { status: 'READY_FOR_REVIEW' } });

  // An ADMIN takes a client away.
  const found = await asAdmin('GET /api/users?q=marc.lefevre');
  expect(found).toMatchObject({ status: 200, json: [{ email: EMAIL }] });
  const [{ id: user = '' } = {}] = found.json as { id?: string }[];
  expect((await asAdmin(`DELETE /api/users/${user}/client-access/${WITHDRAWN}`)).status).toBe(204);

  // The next request is refused, whatever it asks for; the work stays.
  expect(await call('GET /api/clients')).toMatchObject({
    status: 401,
    json: { error: { code: 'ERROR_UNAUTHORIZED' } },
  });
  expect((await call(`GET /api/reclamations/${id}`)).status).toBe(401);
  expect((await asAdmin(`GET /api/reclamations/${id}`)).json).toMatchObject({ status: 'READY_FOR_REVIEW' });

  // The provider learns of it.
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

  // The next login has the new rights.
  await logOut();
  expect(await logIn()).toMatchObject({ role: 'ACCOUNT_MANAGER', client_access: left });
  const { status, json } = await call('GET /api/clients');
  expect([status, (json as { id: string }[]).map((one) => one.id).sort()]).toEqual([200, left]);
  expect((await call(`GET /api/reclamations/${id}`)).status).toBe(403);
  expect(complaints).toEqual([]);
  await page.context().close();
});
