import { join } from 'node:path';
import { expect } from '@jest/globals';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

export const SIZES = { desk: { width: 1280, height: 900 }, telephone: { width: 390, height: 844 } };

export async function launchBrowser(): Promise<Browser> {
  // Root, as in a container, gets no sandbox of Chromium's.
  const sandbox = process.getuid?.() !== 0;
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, chromiumSandbox: sandbox });
}

/** Holds what is shown against the window's width and against the rules of accessibility, and keeps a picture of it. */
export async function expectReadable(page: Page, screenshots: string, what: string): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  await page.screenshot({ path: join(screenshots, `${what}-${width}.png`), fullPage: true });
  expect([what, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([what, width]);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  expect([what, found]).toEqual([what, []]);
}

/** The label of what has the focus, or its text, or its name. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(
    '(document.activeElement.labels?.[0] ?? document.activeElement).textContent || document.activeElement.name',
  );
}

/** Presses the tabulator until something with this label or text has the focus. */
export async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await focused(page)).includes(text)) return;
  }
  throw new Error(`the keyboard does not reach ${text}`);
}
