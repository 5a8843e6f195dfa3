import { expect, test } from '@jest/globals';
import { renderLoginPage, renderLogoutPage, renderMessagePage } from '../../src/demo/provider/pages.ts';
import { choosePageLanguage, pageHeaders } from '../../src/demo/provider/send-page.ts';

/** A text that would begin an element or an attribute in any part of a page that does not escape it. */
const HOSTILE = `"'><script>alert(1)</script>&lt;`;
const ESCAPED = '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;';

test('the embedded identity provider escapes values from requests on each of its HTML pages', () => {
  const asked = { action: HOSTILE, client: HOSTILE, email: HOSTILE };
  const pages: readonly (readonly [page: string, inserted: number])[] = [
    [renderLoginPage('en', asked, { error: 'credentials' }), 2],
    [renderLogoutPage('en', HOSTILE, '<form id="op.logoutForm"></form>'), 0],
    [renderMessagePage('en', 'request', HOSTILE), 1],
  ];
  for (const [page, inserted] of pages) {
    expect(page).not.toContain('<script');
    expect(page.split(ESCAPED)).toHaveLength(inserted + 1);
  }
});

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['fr-BE, fr;q=0.9', 'fr'],
  ['de, fr;q=0.8, en;q=0.7', 'fr'],
  ['en-GB, fr;q=0.9', 'en'],
  ['fr;q=0, en;q=0.1', 'en'],
  ['*', 'en'],
  [';;,q=x', 'en'],
])('a browser with the Accept-Language %j gets a login page in the language %s', (accepted, language) => {
  const headers = accepted === undefined ? {} : { 'accept-language': accepted };
  expect(choosePageLanguage({ headers })).toBe(language);
});

test.each([
  ['fr', 'en', 'fr'],
  ['en', 'fr', 'en'],
  ['fr-CA en', 'en', 'fr'],
  ['de fr en', 'en', 'fr'],
  ['de es', 'fr', 'fr'],
  ['', 'fr', 'fr'],
  ['*', 'fr', 'fr'],
  ['en;q=0,fr', 'fr', 'fr'],
])(
  'with ui_locales %j from the application and the Accept-Language %s the login page is in the language %s',
  (locales, accepted, language) => {
    expect(choosePageLanguage({ headers: { 'accept-language': accepted } }, locales)).toBe(language);
  },
);

test.each([
  ['en', 0, '1 second'],
  ['en', 59, '59 seconds'],
  ['en', 60, '1 minute'],
  ['en', 61, '2 minutes'],
  ['fr', 1, '1 seconde'],
  ['fr', 3_599, '60 minutes'],
] as const)(
  'after too many wrong passwords, the login page in the language %s writes a wait of %d seconds as "%s"',
  (language, seconds, said) => {
    const asked = { action: '/', client: undefined, email: '' };
    const page = renderLoginPage(language, asked, { error: 'attempts', waitSeconds: seconds });
    expect(page.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(` ${said}\\. ?</p>`));
  },
);

test.each([
  [undefined, "form-action 'self'"],
  ['https://claims.example:8443/callback?a=b', "form-action 'self' https://claims.example:8443"],
])(
  'if a login redirects to %j, the Content-Security-Policy of the login page lets its form be sent only to that origin and the provider',
  (leadsTo, action) => {
    const policy = pageHeaders('en', leadsTo)['Content-Security-Policy'];
    expect(policy?.split('; ')).toContain(action);
  },
);
