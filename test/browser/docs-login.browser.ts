import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Locator, Page, Request } from 'playwright-core';
import { createLoginDiscovery } from '../../src/identity/discovery.ts';
import { startForeignProvider } from '../support/foreign-provider.ts';
import { startService } from '../support/service.ts';
import { expectReadable, launchBrowser, openPage, screenshotFolder, SIZES } from './browser.ts';

/* Tests the API documentation at /docs with an external OpenID provider: login, renewal of tokens, and logout. */

/**
 * The time of the service’s clock in milliseconds. When this clock is ten minutes later, the service fetches the
 * provider’s discovery document again.
 */
let now = 0;

let page: Page;
let requests: Request[];
let complaints: string[];

const provider = await startForeignProvider();
const { issuer, audience } = provider;
const discovery = createLoginDiscovery({ issuer, log: pino({ level: 'silent' }), now: () => now });
const login = { issuer, audience, clientId: 'docs', scope: 'openid profile email', discovery };
const service = await startService({ provider, login });
const origin = `http://127.0.0.1:${service.port}`;
await provider.allow('docs', `${origin}/docs`);
const tenant = await service.tenant('Boulangerie Martin');
const screenshots = await screenshotFolder('docs-login');
const browser = await launchBrowser();

afterAll(async () => {
  await browser.close();
  await service.close();
  await provider.close();
});

beforeEach(async () => {
  provider.claims = { role: 'ACCOUNT_MANAGER', client_access: [tenant.clients], name: 'Marc Lefèvre' };
  provider.subject = 'foreign|marc';
  provider.lifetime = 600;
  provider.discovery = undefined;
  now += 600_000;
  requests = [];
  ({ page, complaints } = await openPage(browser));
  page.on('request', (request) => requests.push(request));
});
afterEach(async () => {
  // An address of the service must contain no token and no login code, because addresses stay in logs.
  const own = requests.map((request) => request.url()).filter((address) => address.startsWith(`${origin}/`));
  expect(own.filter((address) => /eyJ|[?&]code=/.test(address))).toEqual([]);
  await page.context().close();
});

const heading = (): Locator => page.getByRole('heading', { name: 'Log in' });
const operation = (id: string): Locator => page.locator(`[id^=operations-][id$=-${id}]`);
const grants = (kind: string): Request[] =>
  requests.filter((request) => new URLSearchParams(request.postData() ?? '').get('grant_type') === kind);

async function logIn(at = '/docs'): Promise<void> {
  await page.goto(`${origin}${at}`);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByText('Logged in as Marc Lefèvre, ACCOUNT_MANAGER, one client').waitFor();
}

/** Sends the example request of an endpoint on /docs, and returns the status of the answer. */
async function send(id: string): Promise<number> {
  const execute = operation(id).getByRole('button', { name: 'Execute' });
  if (!(await execute.isVisible())) await operation(id).getByRole('button').first().click();
  const answered = page.waitForResponse((answer) => answer.url().startsWith(`${origin}/api/`));
  await execute.click();
  return (await answered).status();
}

describe.each(Object.values(SIZES))('the page /docs in a window of $width pixels', (size) => {
  test('a user of /docs logs in at the OpenID provider, tries an endpoint, and is also logged out at the provider by a logout on /docs', async () => {
    await page.setViewportSize(size);
    await page.goto(`${origin}/docs`);
    await page.getByText(`At ${provider.issuer}`).waitFor();
    await expectReadable(page, screenshots, 'to-log-in');
    await logIn();
    expect(await send('listClients')).toBe(200);
    await operation('listClients').getByText('Boulangerie Martin').first().waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await heading().waitFor();
    expect(await page.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    // After the logout the OpenID provider shows its login form again, so the user was also logged out there.
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Enter' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

test('after a login and after a reload, the page /docs again opens the endpoint that its address names', async () => {
  await logIn('/docs#/Sites/getSite');
  await operation('getSite').getByRole('button', { name: 'Execute' }).waitFor();
  expect(page.url()).toBe(`${origin}/docs#/Sites/getSite`);
  await page.reload();
  await page.getByText('Logged in as Marc Lefèvre').waitFor();
  await operation('getSite').getByRole('button', { name: 'Execute' }).waitFor();
  expect(complaints).toEqual([]);
});

test('the page /docs renews a token that is about to expire before sending a request, without asking the user', async () => {
  await logIn();
  expect([await send('listClients'), grants('refresh_token')]).toEqual([200, []]);
  const [code] = grants('authorization_code');
  expect(Object.fromEntries(new URLSearchParams(code?.postData() ?? ''))).toMatchObject({
    code_verifier: expect.stringMatching(/^[\w.~-]{43,128}$/),
    client_id: 'docs',
  });
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await heading().waitFor();

  provider.lifetime = 20;
  await logIn();
  const renewals = grants('refresh_token').length;
  expect([await send('listClients'), grants('refresh_token').length]).toEqual([200, renewals + 1]);
  expect([await send('listClients'), grants('refresh_token').length]).toEqual([200, renewals + 2]);
  expect(complaints).toEqual([]);
});

test('the page /docs tells a user at the next request that the user’s rights changed, and continues with the new rights', async () => {
  provider.subject = 'foreign|known-here';
  await logIn();
  const other = await service.tenant('Garage Dubois');
  expect(await send('listClients')).toBe(200);
  provider.claims = { ...provider.claims, client_access: [tenant.clients, other.clients] };
  // The SQL makes the service refuse every earlier token of the user, as an ADMIN’s change of the user’s rights would
  // do.
  await service.sql`insert into public.users (email, password_hash, name, role, client_access, subject, access_changed_at)
   values ('marc@cabinet.example', '!', 'Marc Lefèvre', 'ACCOUNT_MANAGER', ${[tenant.clients, other.clients]}, 'foreign|known-here', clock_timestamp())`;
  expect(await send('listClients')).toBe(401);
  await page.getByText('Logged in as Marc Lefèvre, ACCOUNT_MANAGER, 2 clients').waitFor();
  await page.getByText('send the request again').waitFor();
  expect(await send('listClients')).toBe(200);
  await service.admin(`update public.users set is_active = false where subject = 'foreign|known-here'`);
  expect(await send('listClients')).toBe(401);
  await page.getByText('The service does not accept this token').waitFor();
});

test('the page /docs tells a user without rights that the service does not accept the user’s token, and lets another user log in', async () => {
  provider.claims = {};
  await page.goto(`${origin}/docs`);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByText('The service does not accept this token').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  // The OpenID provider must show its login form again, because otherwise it would log in the same person at once.
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Enter' }).waitFor();
});

test('a forged callback address does not log anybody in on /docs', async () => {
  await page.goto(`${origin}/docs#code=of-another-login&state=of-another-login`);
  await page.getByText('No matching state').waitFor();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  expect([page.url(), grants('authorization_code')]).toEqual([`${origin}/docs`, []]);
});

test('the browser on /docs can connect only to the service and its identity provider, and does not fetch the provider’s discovery', async () => {
  await logIn();
  const ofProvider = requests.filter((request) => request.url().startsWith(`${provider.issuer}/.well-known`));
  expect(ofProvider).toEqual([]);
  const asks = (address: string): Promise<unknown> =>
    page.evaluate(`fetch('${address}').then(({ status }) => status, ({ name }) => name)`);
  expect(await asks(provider.jwksUrl)).toBe(200);
  expect(await asks(service.identity.jwksUrl)).toBe('TypeError');
  expect(complaints.some((complaint) => complaint.includes('connect-src'))).toBe(true);
});

describe.each(Object.values(SIZES))(
  'the page /docs in a window of $width pixels, while the provider cannot be reached',
  (size) => {
    test('the page /docs says that the identity provider is unreachable, and accepts a pasted token', async () => {
      await page.setViewportSize(size);
      provider.discovery = (_request, response) => response.destroy();
      now += 600_000;
      await page.goto(`${origin}/docs`);
      await page.getByText(`You cannot log in at ${provider.issuer} now`).waitFor();
      expect(await page.getByRole('button', { name: 'Log in' }).isVisible()).toBe(false);
      await expectReadable(page, screenshots, 'away');
      // The test makes the OpenID provider reachable again, and puts the service’s clock half a minute forward.
      provider.discovery = undefined;
      now += 30_000;
      await logIn();
      const token = String(
        await page.evaluate(`JSON.parse(sessionStorage[Object.keys(sessionStorage)
      .find((key) => key.startsWith('oidc.user:'))]).access_token`),
      );
      await page.evaluate('sessionStorage.clear()');
      provider.discovery = (_request, response) => response.destroy();
      now += 600_000;
      await page.goto(`${origin}/docs`);
      await page.reload();
      await page.getByText(`You cannot log in at ${provider.issuer} now`).waitFor();
      await page.getByLabel('Access token').fill(token);
      await page.keyboard.press('Enter');
      await page.getByText('Logged in as Marc Lefèvre').waitFor();
      expect(await send('listClients')).toBe(200);
      expect(complaints).toEqual([]);
    });

    test('a user of /docs stays logged in until the token expires, even if the identity provider is unreachable', async () => {
      await page.setViewportSize(size);
      await logIn();
      provider.discovery = (_request, response) => response.destroy();
      now += 600_000;
      await page.reload();
      await page.getByText('Logged in as Marc Lefèvre').waitFor();
      expect(await send('listClients')).toBe(200);
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByText(`You cannot log in at ${provider.issuer} now`).waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      expect(complaints).toEqual([]);
    });
  },
);
