import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { startService } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';

let service: Service;
let browser: Browser;
let page: Page;
let own: Tenant;
let origin: string;
/** What the browser was told to load, and what it complained of. */
let addresses: string[];
let complaints: string[];

beforeAll(async () => {
  service = await startService();
  own = await service.tenant('Boulangerie Martin');
  origin = `http://127.0.0.1:${service.port}`;
  // Root, as in a container, gets no sandbox of Chromium's.
  const sandbox = process.getuid?.() !== 0;
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, chromiumSandbox: sandbox });
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  addresses = [];
  complaints = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
});

async function open(token: string): Promise<void> {
  await page.goto(`${origin}/docs`);
  await page.getByLabel('Access token').fill(token);
  await page.getByRole('button', { name: 'Show the interface' }).click();
}

test('a person pastes a token, lists the clients and sees their own; nothing is loaded from elsewhere', async () => {
  await open(await service.token('CLIENT', [own.clients]));
  const operation = page.locator('#operations-Clients-listClients');
  await operation.getByRole('button').first().click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table');
  await answer.waitFor();
  const screenshot = join(await mkdtemp(join(tmpdir(), 'taxclaims-docs-')), 'docs.png');
  await page.screenshot({ path: screenshot, fullPage: true });
  console.log(`To be looked at: ${screenshot}`);
  expect(await answer.locator('.response-col_status').last().innerText()).toMatch(/^200/);
  expect(await answer.innerText()).toContain('Boulangerie Martin');
  expect(
    addresses.filter((address) => !address.startsWith(`${origin}/`) && !address.startsWith('data:')),
  ).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a token that is not accepted is told so, and the description stays closed', async () => {
  await open('nonsense');
  await page.getByText('The token is not accepted').waitFor();
  expect(await page.locator('#description').innerText()).toBe('');
});
