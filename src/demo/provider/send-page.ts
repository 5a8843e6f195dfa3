import type { IncomingMessage, ServerResponse } from 'node:http';
import Negotiator from 'negotiator';
import { errors, type ErrorOut, type KoaContextWithOIDC as Context } from 'oidc-provider';
import { renderLogoutPage, renderMessagePage } from './pages.ts';
import type { Language } from './texts.ts';

export function choosePageLanguage({ headers }: Pick<IncomingMessage, 'headers'>, locales: unknown = ''): Language {
  const requested = String(locales)
    .split(' ')
    .map((tag) => tag.split('-')[0]?.toLowerCase());
  const languages = [...requested, new Negotiator({ headers }).language(['en', 'fr'])];
  return languages.find((tag) => tag === 'en' || tag === 'fr') ?? 'en';
}

/** `form-action` allows the origin of the redirect, because browsers also check redirects after a form is sent. */
export function pageHeaders(language: Language, formTarget?: unknown): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    // oidc-provider adds to `script-src` the hash of its own script, which submits a form.
    "script-src 'self'",
    `form-action 'self' ${URL.parse(String(formTarget))?.origin ?? ''}`.trimEnd(),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Content-Language': language,
    // With `no-referrer` the browser would send `Origin: null` with a form, and the provider would refuse the form.
    'Referrer-Policy': 'same-origin',
    Vary: 'Accept-Language',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}

export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  page: (language: Language) => string,
  params: Readonly<Record<string, unknown>> = {},
): void {
  const language = choosePageLanguage(request, params['ui_locales']);
  response.writeHead(status, pageHeaders(language, params['redirect_uri'])).end(page(language));
}

function writePageToContext(context: Context, page: (language: Language) => string, formTarget?: unknown): void {
  // The request's parameters may be missing, because an error may occur before oidc-provider has read the request.
  const { params } = (context.oidc as Context['oidc'] | undefined) ?? {};
  const language = choosePageLanguage(context.req, params?.['ui_locales']);
  context.set(pageHeaders(language, formTarget));
  context.body = page(language);
}

export function logoutSource(context: Context, form: string): void {
  const { client, params } = context.oidc;
  const target = params?.['post_logout_redirect_uri'];
  writePageToContext(context, (language) => renderLogoutPage(language, client?.clientId, form), target);
}

export function postLogoutSuccessSource(context: Context): void {
  writePageToContext(context, (language) => renderMessagePage(language, 'loggedOut'));
}

/** Shows the error messages of oidc-provider, which the OAuth protocol defines and which contain no secret. */
export function renderError(context: Context, out: ErrorOut, thrown: Error): void {
  const fault = thrown instanceof errors.SessionNotFound ? 'expired' : 'request';
  const message = context.status >= 500 ? 'unavailable' : fault;
  const detail = [out.error, out.error_description].filter(Boolean).join(': ');
  writePageToContext(context, (language) => renderMessagePage(language, message, detail));
}
