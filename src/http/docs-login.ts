import type { Express } from 'express';
import helmet from 'helmet';
import { sendReply } from './envelope.ts';

/** Where and how the page of /docs lets somebody log in, by the code flow of a public client. */
export interface DocsLogin {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Of the tokens to ask for, where the provider has several. */
  readonly audience: string;
}

/** Adds what the page has to know of the identity provider: `null` where nobody can log in there. */
export function mountLogin(app: Express, login: DocsLogin | undefined): void {
  app.get('/docs/login.json', async (_request, response) => {
    await sendReply(response, { status: 200, body: JSON.stringify(login ?? null) });
  });
}

/** The policy of every answer; the page of /docs may ask its identity provider, too, and nobody else. */
export function contentSecurityPolicy(login?: DocsLogin): ReturnType<typeof helmet.contentSecurityPolicy> {
  return helmet.contentSecurityPolicy({
    directives: {
      'style-src': ["'self'"],
      'font-src': ["'self'"],
      ...(login && { 'connect-src': ["'self'", new URL(login.issuer).origin] }),
      // Inside a network the page may be reached over plain HTTP, and its parts then as well.
      'upgrade-insecure-requests': null,
    },
  });
}
