import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { createDemonstrationUsers } from '../../src/demo/people.ts';
import { loadDemonstration } from '../support/demonstration.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import {
  expectReadable as expectReadableIn,
  focused,
  launchBrowser,
  openPage,
  screenshotFolder,
  SIZES,
  tabTo,
} from './browser.ts';
import { forSuite } from '../support/suite.ts';

/*
 * Tests the API documentation at /docs, on the demonstration with a list of people to choose, and on a service where a
 * user pastes a token.
 */

let page: Page;
/** The addresses that the browser loaded, and the errors that its pages reported in the console. */
let addresses: string[];
let complaints: string[];

const people = createDemonstrationUsers({
  ...{ issuer: '', audience: '', jwks: { keys: [] } },
  sign: ({ subject, role, clientAccess, email, name }) =>
    service.token(role, clientAccess, { sub: subject, email, name }),
});
const service = await forSuite(startService({ demonstrationUsers: people }));
await loadDemonstration(service);
const withoutPeople = await forSuite(startService());
const screenshots = await screenshotFolder('docs');
const browser = await forSuite(launchBrowser());

const originOf = ({ port }: Service): string => `http://127.0.0.1:${port}`;

async function open(at: Service, viewport = SIZES.desk, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
  ({ page, complaints } = await openPage(browser, { viewport, colorScheme }));
  page.on('request', (request) => addresses.push(request.url()));
  await page.goto(`${originOf(at)}/docs`);
}

beforeEach(() => {
  addresses = [];
});
// /docs loads nothing from another origin, and has no token in an address, because addresses stay in logs.
afterEach(async () => {
  const own = [originOf(service), originOf(withoutPeople)].map((origin) => `${origin}/`);
  expect(addresses.filter((address) => ![...own, 'data:'].some((start) => address.startsWith(start)))).toEqual([]);
  expect([...addresses, page.url()].filter((address) => address.includes('eyJ'))).toEqual([]);
  await page.context().close();
});

const status = (): Locator => page.getByRole('status').first();
const words = (): Locator => page.getByLabel('Search endpoints');
const operation = (id: string): Locator => page.locator(`[id^=operations-][id$=-${id}]`);

async function enterAs(name: string): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.getByText(`Logged in as ${name}`).waitFor();
}

/** Finds an endpoint on /docs, sends its example request, and returns the status and the text of the answer. */
async function send(id: string): Promise<[status: string, text: string]> {
  await words().fill(id);
  await page.getByText('1 endpoint', { exact: true }).waitFor();
  await operation(id).getByRole('button').first().click();
  await operation(id).getByRole('button', { name: 'Execute' }).click();
  const answer = operation(id).locator('.live-responses-table');
  await answer.waitFor();
  return [await answer.locator('.response-col_status').last().innerText(), await answer.innerText()];
}

const expectReadable = (what: string): Promise<void> => expectReadableIn(page, screenshots, what);

describe.each(Object.entries(SIZES))('the page /docs in a window of the size %s', (_where, size) => {
  test('a newcomer to /docs picks a demonstration user with a click, finds an endpoint, sends the example request and sees the answer', async () => {
    await open(service, size);
    await page.getByRole('button', { name: 'Claire Fontaine' }).waitFor();
    for (const role of ['ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'])
      await page.getByText(role, { exact: true }).waitFor();
    await expectReadable('before-a-token');
    await enterAs('Marc Lefèvre');
    expect(await status().innerText()).toContain('ACCOUNT_MANAGER, 3 clients, until');
    await operation('listClients').waitFor();
    await expectReadable('everything');

    // The search words differ from the text on /docs in order, capitals and accents. One of the words is a parameter’s
    // name.
    await words().fill('site_id LÍST réclamations');
    await operation('listClients').waitFor({ state: 'detached' });
    const shown = page.locator('.opblock-summary-path');
    await page.getByText(`${await shown.count()} endpoints`).waitFor();
    expect(await shown.allInnerTexts()).toContain('/api/reclamations');
    expect((await shown.allInnerTexts()).filter((path) => !path.includes('reclamations'))).toEqual([]);

    const [created, claim] = await send('createReclamation');
    expect([created.slice(0, 3), claim]).toEqual(['201', expect.stringContaining('"status": "DRAFT"')]);
    await expectReadable('a-claim-created');
    const [listed, clients] = await send('listClients');
    expect([listed.slice(0, 3), clients]).toEqual(['200', expect.stringContaining('Logistique du Rhône SAS')]);
    await expectReadable('clients-listed');
    await send('updateReclamation');
    await words().fill('uploadDocument');
    await operation('uploadDocument').getByRole('button').first().click();
    await operation('uploadDocument').getByLabel('file').waitFor();
    await expectReadable('an-upload');
    await words().fill('nothing of this kind');
    await page.getByText('No endpoint contains all these words.').waitFor();
    expect(await page.locator('#description').innerText()).toBe('');
    await expectReadable('nothing-found');
    expect(complaints).toEqual([]);
  });

  test('on a service without demonstration users, /docs asks for a token of the identity provider and shows that token’s clients', async () => {
    const own = await withoutPeople.tenant('Boulangerie Martin');
    await open(withoutPeople, size);
    await page.getByText('your identity provider').waitFor();
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Use this token']);
    await expectReadable('a-token-to-paste');
    await page.getByLabel('Access token').fill(`Bearer ${await withoutPeople.token('CLIENT', [own.clients])}`);
    await page.keyboard.press('Enter');
    await page.getByText('Logged in as idp|CLIENT, CLIENT, one client').waitFor();
    expect(await send('listClients')).toEqual([
      expect.stringMatching(/^200/),
      expect.stringContaining('Boulangerie Martin'),
    ]);
    expect(complaints).toEqual([]);
  });
});

test('a user can choose a demonstration user, find an endpoint and send the example request on /docs with the keyboard alone', async () => {
  await open(service);
  await page.getByRole('button', { name: 'Sophie Martin' }).waitFor();
  await tabTo(page, 'Sophie Martin');
  await page.keyboard.press('Enter');
  await operation('listClients').waitFor();
  await tabTo(page, 'Search endpoints');
  await page.keyboard.type('listClients');
  await page.getByText('1 endpoint', { exact: true }).waitFor();
  await tabTo(page, 'List the clients');
  await page.keyboard.press('Enter');
  await operation('listClients').locator('button.execute:enabled').waitFor();
  await tabTo(page, 'Execute');
  await page.keyboard.press('Enter');
  const answer = operation('listClients').locator('.live-responses-table');
  await answer.getByText('Logistique du Rhône SAS').first().waitFor();
  expect(complaints).toEqual([]);
});

test('the page /docs keeps a user’s token until the user closes the tab or chooses another user', async () => {
  await open(service);
  await enterAs('Claire Fontaine');
  await page.reload();
  await page.getByText('Logged in as Claire Fontaine, ADMIN, every client').waitFor();
  expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
  const other = await page.context().newPage();
  await other.goto(`${originOf(service)}/docs`);
  await other.getByRole('button', { name: 'Claire Fontaine' }).waitFor();
  await other.close();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('button', { name: 'Claire Fontaine' }).waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  expect(complaints).toEqual([]);
});

test('the address of an endpoint on /docs opens the same endpoint in a new page', async () => {
  await open(service);
  await enterAs('Claire Fontaine');
  await operation('getSite').getByRole('button').first().click();
  const address = page.url();
  expect(address).toMatch(/#\/Sites\/getSite$/);
  await page.goto('about:blank');
  await page.goto(address);
  await operation('getSite').getByRole('button', { name: 'Execute' }).waitFor();
  expect(complaints).toEqual([]);
});

test('on /docs clients and claims come first, and a fold has the operations of the protocol, until a search or an address opens it', async () => {
  await open(service);
  await enterAs('Claire Fontaine');
  const tags = page.locator('h3.opblock-tag');
  const namesOf = async (some: Locator) => (await some.allInnerTexts()).map((text) => text.split('\n')[0]);
  expect((await namesOf(tags)).slice(0, 2)).toEqual(['Clients', 'Reclamations']);
  for (const id of ['checkHealth', 'logIn', 'listChanges', 'listAuditLogs', 'getDescription'])
    expect([id, await operation(id).isVisible()]).toEqual([id, false]);
  const fold = page.locator('details', { hasText: 'Protocol: ' });
  expect(await operation('listClients').isVisible()).toBe(true);
  await fold.locator('summary').first().click();
  expect((await namesOf(fold.locator('h3.opblock-tag'))).sort()).toEqual([
    'Audit',
    'Authentication',
    'Changes',
    'Description',
    'Health',
  ]);
  await fold.locator('summary').first().click();
  await words().fill('logIn');
  await operation('logIn').waitFor();
  await page.goto('about:blank');
  await page.goto(`${originOf(service)}/docs#/Audit/listAuditLogs`);
  await operation('listAuditLogs').getByRole('button', { name: 'Execute' }).waitFor();
  expect(complaints).toEqual([]);
});

describe.each(Object.values(SIZES))('the page /docs in a window of $width pixels, in dark mode', (size) => {
  test('an operation with many parameters shows the usual ones above Execute and the others in a fold below, and the response gets the focus in sight', async () => {
    await open(service, size, 'dark');
    await enterAs('Claire Fontaine');
    await words().fill('listReclamations');
    const claims = operation('listReclamations');
    await claims.getByRole('button').first().click();
    const execute = claims.locator('button.execute:enabled');
    await execute.waitFor();
    expect(await claims.locator('.parameter__name:visible').allInnerTexts()).toEqual([
      'q',
      'status',
      'sort',
      'expand',
      'limit',
    ]);
    await expectReadable('a-dark-operation');
    const fold = claims.getByText(/^\d+ more parameters$/);
    const topOf = async (element: Locator) => (await element.boundingBox())?.y ?? NaN;
    expect(await topOf(execute)).toBeLessThan(await topOf(fold));
    await fold.click();
    const folded = claims.getByLabel('amount_from', { exact: true });
    await folded.fill('15000');
    expect(await topOf(execute)).toBeLessThan(await topOf(folded));

    const answer = claims.locator('.live-responses-table');
    await execute.click();
    await claims.locator('.request-url', { hasText: 'amount_from=15000' }).waitFor();
    await page.waitForFunction('document.activeElement.matches(".live-responses-table")');
    expect(await topOf(answer)).toBeGreaterThan(0);
    expect(await topOf(answer)).toBeLessThan(size.height / 3);
    await expectReadable('a-dark-answer');

    // The click that leaves the field after the user has typed sends the request at once.
    await folded.fill('16000');
    await execute.click();
    await claims.locator('.request-url', { hasText: 'amount_from=16000' }).waitFor();
    await page.waitForFunction('document.activeElement.matches(".live-responses-table")');
    expect(complaints).toEqual([]);
  });
});

test('the page /docs tells the user if the service refuses the token or no longer accepts it', async () => {
  await open(withoutPeople);
  const field = page.getByLabel('Access token');
  for (const [token, reason] of [
    ['nonsense', 'The service does not accept this token. It may have expired.'],
    ['not a token', 'This is not an access token: it has characters that no token has.'],
  ] as const) {
    await field.fill(token);
    await page.getByRole('button', { name: 'Use this token' }).click();
    // The field’s description has the reason, and the field has the focus for another token.
    await page.getByRole('alert').getByText(reason).waitFor();
    const described = 'document.getElementById(document.querySelector("#token").getAttribute("aria-describedby"))';
    expect(await page.evaluate(`${described}.textContent`)).toBe(reason);
    expect([await field.getAttribute('aria-invalid'), await focused(page)]).toEqual(['true', 'Access token']);
    await expectReadable('a-token-refused');
  }
  expect(await page.locator('#description').innerText()).toBe('');
  await page.context().close();

  await open(service);
  await enterAs('Amélie Durand');
  await service.admin(`update public.users set is_active = false where email like 'amelie.durand@%'`);
  expect((await send('listClients'))[0]).toMatch(/^401/);
  expect(await status().innerText()).toBe('The service no longer accepts this token. Log out, then log in again.');
});
