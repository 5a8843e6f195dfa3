import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export const SIZES = { desk: { width: 1280, height: 900 }, telephone: { width: 390, height: 844 } };

export async function launchBrowser(): Promise<Browser> {
  // Chromium cannot use its sandbox when it runs as root.
  const sandbox = process.getuid?.() !== 0;
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, chromiumSandbox: sandbox });
}

/** Creates a folder for the screenshots of a test suite, prints the folder’s path, and returns it. */
export async function screenshotFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `taxclaims-${name}-`));
  console.log(`Screenshots: ${folder}`);
  return folder;
}

/**
 * Opens an empty page in its own browser context. `complaints` collects errors of the page and messages of its console.
 */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const page = await (await browser.newContext({ viewport: SIZES.desk, ...options })).newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { page, complaints };
}

/**
 * Takes a screenshot of the page, and expects that the page fits the window’s width and has no accessibility violation.
 */
export async function expectReadable(page: Page, screenshots: string, what: string): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  await page.screenshot({ path: join(screenshots, `${what}-${width}.png`), fullPage: true });
  expect([what, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([what, width]);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  expect([what, found]).toEqual([what, []]);
}

/** The label, the text or the name of the page element that has the keyboard focus. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(
    '(document.activeElement.labels?.[0] ?? document.activeElement).textContent || document.activeElement.name',
  );
}

/** Presses the Tab key until a page element with the given label, text or name has the keyboard focus. */
export async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page)).includes(text)) return;
  }
  throw new Error(`the keyboard does not reach ${text}`);
}
