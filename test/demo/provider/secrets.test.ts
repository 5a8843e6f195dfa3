import { expect, test } from '@jest/globals';
import { createTestLogger } from '../../support/test-logger.ts';
import { askTokens, beginLogin, exchange, openBrowser, refresh } from '../../support/login.ts';
import { openProviderWorld } from '../../support/provider.ts';
import { forSuite } from '../../support/suite.ts';

const { log, loggedText } = createTestLogger();

const world = await forSuite(openProviderWorld({}, log));
const { issuer } = world.provider;

test('the embedded identity provider logs neither the browser’s cookies nor the program’s tokens during a login', async () => {
  const { email, password } = await world.person();
  const browser = openBrowser(issuer);
  const begun = await beginLogin(browser);
  const cookies = [...browser.cookies.values()].map(({ value }) => value);
  const { left } = await begun.submit(email, password);
  cookies.push(...[...browser.cookies.values()].map(({ value }) => value));
  const code = exchange(begun, left);
  const { body } = await askTokens(issuer, code);
  await refresh(issuer, body.refresh_token);

  const secrets = [...cookies, email, password, String(code['code']), body.refresh_token, body.access_token];
  expect(loggedText()).toContain('GET /auth');
  expect(cookies.length).toBeGreaterThan(4);
  expect(secrets.filter((secret) => loggedText().includes(secret))).toEqual([]);
});
