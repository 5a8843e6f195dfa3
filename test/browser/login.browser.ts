import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startDemonstration } from '../support/demonstration-process.ts';
import { blockOf } from '../support/pages.ts';
import { expectReadable, launchBrowser, openPage, screenshotFolder, SIZES, tabTo } from './browser.ts';
import { startFrontend } from './frontend.ts';

/* Tests the service of `npm start` in a browser: a login on /docs, and the login code of docs/frontend.md. */

const EMAIL = 'marc.lefevre@cabinet.example';

let page: Page;
let complaints: string[];

const frontend = await startFrontend();
const demonstration = await startDemonstration({ CORS_ORIGINS: frontend.origin });
const screenshots = await screenshotFolder('login');
const browser = await launchBrowser();

afterAll(async () => {
  await browser.close();
  await frontend.close();
  expect(await demonstration.end()).toBe(0);
});

afterEach(async () => {
  await page.context().close();
});

describe.each([
  {
    ...{ language: 'fr', size: SIZES.telephone, submit: 'Se connecter', why: 'ne correspondent pas' },
    ...{ email: 'Adresse e-mail', password: 'Mot de passe', leave: 'Se déconnecter' },
  },
  {
    ...{ language: 'en', size: SIZES.desk, submit: 'Log in', why: 'Wrong email address or password.' },
    ...{ email: 'Email address', password: 'Password', leave: 'Log out' },
  },
])('the login on /docs in the language $language', ({ language, size, email, password, submit, why, leave }) => {
  test('a user logs in on /docs with the password that npm start printed, tries an endpoint, and logs out', async () => {
    ({ page, complaints } = await openPage(browser, { locale: language, viewport: size }));
    await page.goto(`${demonstration.url}/docs`);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await page.getByRole('button', { name: 'Claire Fontaine' }).waitFor();
    await expectReadable(page, screenshots, 'docs');
    await page.getByRole('button', { name: 'Log in' }).click();

    await page.getByLabel(email).fill(EMAIL);
    await expectReadable(page, screenshots, 'login');
    await page.getByLabel(password).fill('not this one');
    await page.getByRole('button', { name: submit }).click();
    await page.getByRole('alert').getByText(why).waitFor();
    expect(await page.getByLabel(email).inputValue()).toBe(EMAIL);
    await expectReadable(page, screenshots, 'login-refused');
    // The browser’s console contains only the HTTP status of the refused login.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('403')]);

    // The test types without a click, because the password field has the focus after a refused login.
    await page.keyboard.type(demonstration.passwordOf(EMAIL));
    await page.keyboard.press('Enter');
    await page.getByText('Logged in as Marc Lefèvre, ACCOUNT_MANAGER, 3 clients').waitFor();
    expect(page.url()).toBe(`${demonstration.url}/docs`);
    await page.locator('[id$=-listClients]').getByRole('button').first().click();
    await page.locator('[id$=-listClients]').getByRole('button', { name: 'Execute' }).click();
    await page.locator('[id$=-listClients]').getByText('Logistique du Rhône SAS').first().waitFor();

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: leave }).waitFor();
    await expectReadable(page, screenshots, 'logout');
    await tabTo(page, leave);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByLabel(password).waitFor();
    expect(complaints).toEqual([]);
  });
});

test('the login code of docs/frontend.md sends its code once, renews the token, and logs out, also where effects run twice', async () => {
  const code = blockOf('docs/frontend.md', 'const people =');
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(20);
  const own = code.replace('http://127.0.0.1:3001', demonstration.issuer);
  const run = (last: string): Promise<unknown> =>
    page.evaluate(`(async () => { const { UserManager } = oidc; ${own}\n${last} })()`);
  const grants: unknown[] = [];

  ({ page, complaints } = await openPage(browser, { locale: 'en' }));
  page.on('request', (request) => {
    if (request.url() === `${demonstration.issuer}/token`)
      grants.push(new URLSearchParams(request.postData() ?? '').get('grant_type'));
  });
  await page.goto(`${frontend.origin}/`);
  // The page leaves for the login form before this call returns, so Playwright reports an error, which the test
  // ignores.
  await run('return tokenOfNow()').catch(() => undefined);
  await page.getByLabel('Email address').fill(EMAIL);
  await page.getByLabel('Password').fill(demonstration.passwordOf(EMAIL));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL(`${frontend.origin}/?**`);
  // React’s StrictMode runs each effect twice.
  const [first, second, renewed] = (await run(`
    const both = await Promise.all([tokenOfNow(), tokenOfNow()]);
    await people.signinSilent();
    return [...both, await tokenOfNow()];`)) as string[];
  expect(grants).toEqual(['authorization_code', 'refresh_token']);
  expect([first === second, first === renewed, page.url()]).toEqual([true, false, `${frontend.origin}/`]);
  expect(await run('return tokenOfNow()')).toBe(renewed);
  const answer = await fetch(`${demonstration.url}/api/clients`, {
    headers: { authorization: `Bearer ${renewed ?? ''}` },
  });
  expect([answer.status, ((await answer.json()) as unknown[]).length]).toEqual([200, 3]);

  await run('return logOut()').catch(() => undefined);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL(`${frontend.origin}/`);
  expect([await page.evaluate('sessionStorage.length'), complaints]).toEqual([0, []]);
});
