import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { DOCS_CLIENT_ID, FRONTEND_CLIENT_ID } from '../../src/demo/provider/clients.ts';
import {
  renderLoginPage,
  renderLogoutPage,
  renderMessagePage,
  STYLESHEET_PATH,
} from '../../src/demo/provider/pages.ts';
import { choosePageLanguage, pageHeaders } from '../../src/demo/provider/send-page.ts';
import type { Language } from '../../src/demo/provider/texts.ts';
import { expectReadable, focused, launchBrowser, screenshotFolder, SIZES } from './browser.ts';

/* Tests the login and logout pages of the embedded identity provider in all languages, sizes and colours. */

const STYLESHEET = join(import.meta.dirname, '..', '..', 'public', 'identity.css');
const EMAIL = 'marc.lefevre@cabinet.example';
const LONG = `${'aclientwithalongname'.repeat(8)} <b>&amp;</b>`;
const FORM =
  '<form id="op.logoutForm" method="post" action="/sent"><input type="hidden" name="xsrf" value="secret"/></form>';

const asked = (client: string, email = '') => ({ action: '/sent', client, email });

const PAGES: Readonly<Record<string, (language: Language) => string>> = {
  login: (language) => renderLoginPage(language, asked(DOCS_CLIENT_ID)),
  'login-for-a-frontend': (language) => renderLoginPage(language, asked(FRONTEND_CLIENT_ID)),
  'login-refused': (language) => renderLoginPage(language, asked(DOCS_CLIENT_ID, EMAIL), { error: 'credentials' }),
  'login-too-often': (language) => renderLoginPage(language, asked('', EMAIL), { error: 'attempts', waitSeconds: 840 }),
  'login-of-a-long-name': (language) => renderLoginPage(language, asked('', LONG)),
  logout: (language) => renderLogoutPage(language, DOCS_CLIENT_ID, FORM),
  'logout-done': (language) => renderMessagePage(language, 'loggedOut'),
  'error-of-the-request': (language) => renderMessagePage(language, 'request', `invalid_redirect_uri: ${LONG}`),
  'error-too-late': (language) => renderMessagePage(language, 'expired'),
};

/** The names and values of the fields that a submitted form sent, in their order. */
let sent: [name: string, value: string][];

const stylesheet = await readFile(STYLESHEET);
const server = createServer((request, response) => {
  const path = (request.url ?? '').slice(1);
  if (path === STYLESHEET_PATH.slice(1)) {
    response.setHeader('Content-Type', 'text/css').end(stylesheet);
  } else if (path === 'sent') {
    void takeForm(request).then(() => response.end('<!doctype html><title>taken</title>'));
  } else {
    const language = choosePageLanguage(request);
    for (const [name, value] of Object.entries(pageHeaders(language))) response.setHeader(name, value);
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(PAGES[path]?.(language));
  }
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const screenshots = await screenshotFolder('identity');
const browser = await launchBrowser();

afterAll(async () => {
  await browser.close();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  sent = [];
});

async function takeForm(request: IncomingMessage): Promise<void> {
  sent = [...new URLSearchParams(Buffer.concat(await request.toArray()).toString())];
}

/** Opens a page of the embedded identity provider, runs `work`, and expects no message on the browser’s console. */
async function on(name: string, options: BrowserContextOptions, work: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: SIZES.desk, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => complaints.push(message.text()));
  await page.goto(`${origin}/${name}`);
  // A browser gives the first field the focus some time after it has loaded the page.
  await page.locator('[autofocus]:focus, body:not(:has([autofocus]))').waitFor();
  await work(page);
  await context.close();
  expect(complaints).toEqual([]);
}

describe.each(Object.keys(PAGES))('the identity provider’s page %s', (name) => {
  test(`the identity provider’s page ${name} is accessible in both languages, both sizes, light and dark, and without scripts`, async () => {
    for (const language of ['fr', 'en']) {
      await on(name, { locale: `${language}-CA` }, async (page) => {
        expect(await page.locator('html').getAttribute('lang')).toBe(language);
        expect(await page.locator('script').count()).toBe(0);
        for (const viewport of Object.values(SIZES)) {
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.setViewportSize(viewport);
            await page.emulateMedia({ colorScheme });
            await expectReadable(page, screenshots, `${name}-${language}-${colorScheme}`);
          }
        }
      });
    }
  });
});

test('a user can log in at the embedded provider with the keyboard alone, and password managers recognise the fields', async () => {
  await on('login', { locale: 'en' }, async (page) => {
    expect(await focused(page)).toBe('Email address');
    await page.keyboard.type(EMAIL);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Password');
    await page.keyboard.type('a pass phrase');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Log in');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
    expect(outline).toBe('3px');
    for (const [label, purpose] of [
      ['Email address', 'username'],
      ['Password', 'current-password'],
    ] as const)
      expect(await page.getByLabel(label).getAttribute('autocomplete')).toBe(purpose);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sent');
    expect(sent).toEqual([
      ['email', EMAIL],
      ['password', 'a pass phrase'],
    ]);
  });
});

test('after a refused login, the login page shows the error at both fields, keeps the email, and puts the focus on the password', async () => {
  await on('login-refused', { locale: 'fr' }, async (page) => {
    const why = 'Cette adresse et ce mot de passe ne correspondent pas. Vérifiez-les, puis réessayez.';
    expect(await page.getByRole('alert').innerText()).toBe(why);
    expect(await page.title()).toMatch(/^Erreur/);
    for (const name of ['Adresse e-mail', 'Mot de passe']) {
      const field = page.getByRole('textbox', { name });
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const describedBy = await field.getAttribute('aria-describedby');
      expect(await page.locator(`#${String(describedBy)}`).innerText()).toBe(why);
    }
    expect(await page.getByLabel('Adresse e-mail').inputValue()).toBe(EMAIL);
    expect(await focused(page)).toBe('Mot de passe');
  });
});

test('a user can confirm or cancel a logout at the embedded provider with the keyboard alone', async () => {
  for (const [name, presses, answer] of [
    [
      'logout',
      1,
      [
        ['xsrf', 'secret'],
        ['logout', 'yes'],
      ],
    ],
    ['logout', 2, [['xsrf', 'secret']]],
  ] as const) {
    await on(name, {}, async (page) => {
      for (let press = 0; press < presses; press += 1) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/sent');
      expect(sent).toEqual(answer);
    });
  }
});
