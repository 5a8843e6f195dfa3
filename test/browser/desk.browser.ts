import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { loadDemonstration } from '../support/demonstration.ts';
import { createScratchFolder } from '../support/scratch.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { expectReadable, launchBrowser, screenshotFolder } from './browser.ts';
import { compiled } from './compiled.ts';
import { startFrontend } from './frontend.ts';

/* Tests the example page that lists a firm’s claims, in a browser. */

const CLIENTS = ['1', '2', '3'].map((last) => `c1000000-0000-4000-8000-00000000000${last}`);
const MORE = 40;

let service: Service;
let frontend: Awaited<ReturnType<typeof startFrontend>>;
let browser: Awaited<ReturnType<typeof launchBrowser>>;
let page: Page;
let folder: string;
const complaints: string[] = [];

beforeAll(async () => {
  folder = await createScratchFolder();
  frontend = await startFrontend(await compiled(folder));
  service = await startService({ corsOrigins: [frontend.origin] });
  await loadDemonstration(service);
  browser = await launchBrowser();
  const tokenOf = (name: string, role: 'ACCOUNT_MANAGER' | 'TAX_SPECIALIST'): Promise<string> =>
    service.token(role, CLIENTS, { sub: `demonstration|${name}` });
  const token = await tokenOf('marc', 'ACCOUNT_MANAGER');
  const [site] = (await service.ask(`GET /api/sites?client_id=${CLIENTS[0]}&limit=1`, { token })).json as [
    { id: string },
  ];
  const body = Array.from({ length: MORE }, (_, index) => ({
    ...{
      client_id: CLIENTS[0],
      site_id: site.id,
      claim_type: 'TF',
      amount: 1000 + index,
      grounds: 'Zanzibar',
    },
  }));
  expect((await service.ask('POST /api/reclamations/import', { token, body })).status).toBe(201);
  const login = JSON.stringify({ baseUrl: `http://127.0.0.1:${service.port}`, token });
  page = await (await browser.newContext({ locale: 'fr-FR', viewport: { width: 1280, height: 900 } })).newPage();
  page.on('pageerror', ({ message }) => complaints.push(message));
  // The browser’s PDF viewer is also a page, but it has no session storage. Only the top page therefore gets the login.
  await page.addInitScript(`if (window === top) sessionStorage.setItem('login', ${JSON.stringify(login)})`);
  await page.goto(`${frontend.origin}/`);
  await said('réclamations');
}, 180_000);
afterAll(async () => {
  expect(complaints).toEqual([]);
  await browser.close();
  await frontend.close();
  await service.close();
  await rm(folder, { recursive: true });
});

async function said(text: string | RegExp): Promise<void> {
  const status = page.getByRole('status');
  await status
    .filter({ hasText: text })
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`the page says ${await status.innerText()}`, { cause });
    });
}
const claims = (): Locator => page.locator('#claims tbody tr');
const column = (place: number): Promise<string[]> => page.locator(`#claims td:nth-child(${place})`).allInnerTexts();

async function search(words: string): Promise<void> {
  await page.getByLabel('Rechercher').fill(words);
  await page.keyboard.press('Enter');
}

test('the desk page finds claims by words in any order and without accents', async () => {
  await search('zanzibar logistique RHONE');
  await said(`${MORE} réclamations`);
  await search('zanzibar nowhere');
  await said('0 réclamations');
  await search('');
  await said(/^[4-9]\d réclamations/);
});

test('each column header of the desk page sorts the claims in both directions', async () => {
  const headers = page.locator('#claims th button');
  for (let place = 0; place < (await headers.count()); place += 1) {
    const shown = new Set<string>();
    for (let turn = 0; turn < 2; turn += 1) {
      const answered = page.waitForResponse((answer) => answer.url().includes('/api/reclamations?'));
      await headers.nth(place).click();
      expect((await answered).status()).toBe(200);
      await said('réclamations');
      shown.add((await column(place + 2)).filter(Boolean).join());
    }
    expect([place, shown.size > 1 || (await column(place + 2)).every((one) => one === '')]).toEqual([place, true]);
  }
});

test('a user of the desk page assigns forty claims to a colleague at once', async () => {
  await search('zanzibar');
  await said(`${MORE} réclamations`);
  await page.getByLabel('Toutes').check();
  await page.getByLabel('Confier à').selectOption({ label: 'Amélie Durand' });
  await page.getByRole('button', { name: 'Confier les' }).click();
  await said(`${MORE} réclamations confiées`);
  expect(new Set(await column(7))).toEqual(new Set(['Amélie Durand']));
});

test('the desk page shows a French error under each wrong field, and names the user who lowered a claim’s amount', async () => {
  await claims().first().getByRole('button').click();
  const amount = page.getByLabel('Montant');
  const before = await amount.inputValue();
  await amount.fill('mille');
  await page.getByLabel('Mise en recouvrement').fill('31/12/2024');
  await page.getByRole('button', { name: 'Enregistrer' }).click();
  const under = (field: string): Promise<string> => page.locator(`output[for="${field}"]`).innerText();
  await page.locator('output[for="amount"]:not(:empty)').waitFor();
  expect(await under('amount')).toMatch(/^Un nombre de 0 à/);
  expect(await under('collection_date')).toMatch(/^Une date est attendue/);
  await amount.fill('900');
  await page.getByLabel('Mise en recouvrement').fill('2024-12-31');
  await page.getByRole('button', { name: 'Enregistrer' }).click();
  await said('Enregistré');
  const changes = await page.getByRole('list', { name: 'Modifications' }).innerText();
  expect(changes).toContain(`Marc Lefèvre — Montant demandé : ${before} → 900`);
});

test('the desk page shows a claim’s avis, which the browser loads by a link without a token', async () => {
  await search('');
  await said(/^[4-9]\d réclamations/);
  const [withAvis] = await service.admin(
    `select reclamation_id as id from public.documents where kind = 'AVIS' limit 1`,
  );
  const shown = page.waitForResponse((answer) => answer.url().includes('/content?link='));
  await page
    .locator('#claims tr', { has: page.locator(`[value="${String(withAvis?.['id'])}"]`) })
    .getByRole('button')
    .click();
  const answer = await shown;
  expect([answer.status(), answer.request().headers()['authorization']]).toEqual([200, undefined]);
  expect(answer.headers()['content-disposition']).toMatch(/^inline/);
  expect(page.frames()).toHaveLength(2);
});

test('the desk page shows the number of claims by client and translated status', async () => {
  const board = page.getByRole('table', { name: 'Par client et par état' });
  const client = board.getByRole('row').filter({ hasText: 'Logistique du Rhône SAS' });
  const counts = (await client.getByRole('cell').allInnerTexts()).slice(1);
  expect(counts.map(Number).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(MORE);
  expect(await board.getByRole('columnheader').allInnerTexts()).toContain('Brouillon');
  await expectReadable(page, await screenshotFolder('desk'), 'desk');
});
