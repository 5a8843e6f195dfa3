import type { Express, RequestHandler } from 'express';
import helmet from 'helmet';
import type { Discovery } from '../identity/discovery.ts';
import { sendReply } from './envelope.ts';

/** Where and how the page of /docs lets somebody log in, by the code flow of a public client. */
export interface DocsLogin {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Of the tokens to ask for, where the provider has several. */
  readonly audience: string;
  readonly discovery: Discovery;
}

/** Adds what the page has to know of the identity provider: `null` where nobody can ever log in there. */
export function mountLogin(app: Express, login: DocsLogin | undefined): void {
  app.get('/docs/login.json', async (_request, response) => {
    const body = JSON.stringify(login === undefined ? null : await settingsOf(login));
    await sendReply(response, { status: 200, body });
  });
}

async function settingsOf({ discovery, ...settings }: DocsLogin): Promise<object> {
  return { ...settings, metadata: (await discovery.current()) ?? null };
}

/** The policy of the page: it may ask for tokens where the provider gives them, too, and nobody else. */
export function docsPolicy(login: DocsLogin | undefined): RequestHandler {
  return async (request, response, next) => {
    const metadata = await login?.discovery.current();
    contentSecurityPolicy(metadata?.token_endpoint)(request, response, next);
  };
}

export function contentSecurityPolicy(asks?: string): ReturnType<typeof helmet.contentSecurityPolicy> {
  return helmet.contentSecurityPolicy({
    directives: {
      'style-src': ["'self'"],
      'font-src': ["'self'"],
      ...(asks !== undefined && { 'connect-src': ["'self'", new URL(asks).origin] }),
      // Inside a network the page may be reached over plain HTTP, and its parts then as well.
      'upgrade-insecure-requests': null,
    },
  });
}
