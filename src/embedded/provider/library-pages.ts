import { errors } from 'oidc-provider';
import type { Context } from 'oidc-provider';
import { errorPage, logoutDonePage, logoutPage } from './pages.ts';
import { givePage } from './send-page.ts';
import { clientIn } from './texts.ts';
import type { PageError } from './texts.ts';

/* The pages that the library asks for. */

export function logoutSource(context: Context, form: string): void {
  const { client, params } = context.oidc;
  givePage(
    context,
    200,
    (language) => logoutPage({ language, client: clientIn(language, client?.clientId), form }),
    params?.['post_logout_redirect_uri'],
  );
}

export function postLogoutSuccessSource(context: Context): void {
  givePage(context, 200, (language) => logoutDonePage({ language }));
}

/** What the library has no application to send to; its words are the protocol's, and quote nothing secret. */
export function renderError(
  context: Context,
  { error, error_description: description }: { readonly error: string; readonly error_description?: string },
  thrown: Error,
): void {
  const details = [error, description].filter((text) => text !== undefined);
  givePage(context, Math.max(context.status, 400), (language) =>
    errorPage({ language, error: kindOf(context.status, thrown), details }),
  );
}

function kindOf(status: number, thrown: Error): PageError {
  const { SessionNotFound, TemporarilyUnavailable } = errors;
  if (status >= 500 || is(thrown, TemporarilyUnavailable)) return 'unavailable';
  if (is(thrown, SessionNotFound)) return 'expired';
  return status === 404 ? 'missing' : 'request';
}

function is(thrown: unknown, kind: new () => Error): boolean {
  return thrown instanceof kind;
}
