import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'oidc-provider';
import { languageOf } from './language.ts';
import type { Language } from './language.ts';
import { pageHeaders } from './page-headers.ts';

/** Gives a page in the language of whoever reads it. */
export type Page = (language: Language) => string;

/** Sends a page; `leadsTo` is the application that its form leads to in the end, `locales` the languages it asks for. */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  page: Page,
  {
    leadsTo,
    locales,
    headers = {},
  }: {
    leadsTo?: string | undefined;
    locales?: string | undefined;
    headers?: Readonly<Record<string, string>>;
  } = {},
): void {
  const language = languageOf(request, locales);
  const body = page(language);
  response.writeHead(status, {
    ...pageHeaders(language, leadsTo),
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Gives a page to the library, which sends it. */
export function givePage(context: Context, status: number, page: Page, leadsTo?: string): void {
  const language = languageOf(context.req, localesOf(context));
  for (const [name, value] of Object.entries(pageHeaders(language, leadsTo))) context.set(name, value);
  context.status = status;
  context.type = 'html';
  context.body = page(language);
}

function localesOf({ oidc }: Context): string | undefined {
  // An error may come before the library has read anything.
  const locales = (oidc as Context['oidc'] | undefined)?.params?.['ui_locales'];
  return typeof locales === 'string' ? locales : undefined;
}
