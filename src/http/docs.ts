import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express, RequestHandler } from 'express';
import helmet from 'helmet';
import { RequestError } from '../errors.ts';
import type { Role } from '../identity/caller.ts';
import type { Discovery } from '../identity/discovery.ts';
import { isLoopback } from '../identity/loopback.ts';
import { sendReply } from './envelope.ts';
import { stateOf } from './request-state.ts';

/** Where the page lies: beside `src` in a checkout, beside `dist` in an image. */
const PAGE = fileURLToPath(new URL('../../public', import.meta.url));
const { resolve } = createRequire(import.meta.url);
const SWAGGER_UI = dirname(resolve('swagger-ui-dist/package.json'));
const OIDC_CLIENT = join(dirname(resolve('oidc-client-ts/package.json')), 'dist', 'browser');

/** Everything that the page is made of, by name: nothing else of a folder can be asked for. */
const FILES: readonly (readonly [folder: string, name: string])[] = [
  [PAGE, 'docs.css'],
  [PAGE, 'docs.js'],
  [PAGE, 'interface.css'],
  [PAGE, 'interface.js'],
  [PAGE, 'endpoint-search.js'],
  [PAGE, 'login.js'],
  [SWAGGER_UI, 'swagger-ui.css'],
  [SWAGGER_UI, 'swagger-ui-bundle.js'],
  [SWAGGER_UI, 'favicon-32x32.png'],
  [OIDC_CLIENT, 'oidc-client-ts.min.js'],
];

export interface DocsLogin {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  /** Of the tokens to ask for, where the provider has several. */
  readonly audience: string;
  readonly discovery: Discovery;
}

function mountLogin(app: Express, login: DocsLogin | undefined): void {
  app.get('/docs/login.json', async (_request, response) => {
    const body = JSON.stringify(login === undefined ? null : await settingsOf(login));
    await sendReply(response, { status: 200, body });
  });
}

async function settingsOf({ discovery, ...settings }: DocsLogin): Promise<object> {
  return { ...settings, metadata: (await discovery.current()) ?? null };
}

/** The policy of the page: it may ask for tokens where the provider gives them, too, and nobody else. */
function docsPolicy(login: DocsLogin | undefined): RequestHandler {
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

export interface Person {
  readonly role: Role;
  readonly name: string;
  readonly clientAccess: readonly string[];
  token(): Promise<string>;
}

/** What a proxy adds: whoever asks through one may sit anywhere. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host'];

function mountPeople(app: Express, people: readonly Person[]): void {
  app.get('/docs/people.json', async (request, response) => {
    const offered = whyNotHere(request) === undefined ? people : [];
    const body = offered.map(({ role, name, clientAccess }) => ({
      role,
      name,
      clients: clientAccess.length,
    }));
    await sendReply(response, { status: 200, body: JSON.stringify(body) });
  });
  for (const person of people) {
    app.post(`/docs/people/${person.role}`, async (request, response) => {
      stateOf(request).resource = 'users';
      const reason = whyNotHere(request) ?? whyNotOwnPage(request);
      if (reason !== undefined) throw new RequestError('ERROR_FORBIDDEN', reason, { kind: 'docs_page' });
      await sendReply(response, { status: 200, body: JSON.stringify({ token: await person.token() }) });
    });
  }
}

/** A page of elsewhere may have let its own name lead here (DNS rebinding): it would be of the same origin then. */
function whyNotHere({ headers }: IncomingMessage): string | undefined {
  if (!isLoopback((headers.host ?? '').replace(/:\d+$/, '')))
    return 'a demonstration by a name from elsewhere';
  return OF_PROXIES.some((name) => name in headers) ? 'a demonstration through a proxy' : undefined;
}

/** Every browser says with a POST of which page it is, and no page can say so for another. */
function whyNotOwnPage({ headers }: IncomingMessage): string | undefined {
  return headers.origin === `http://${headers.host ?? ''}` ? undefined : 'a demonstration from another page';
}

export function mountDocs(app: Express, people: readonly Person[], login: DocsLogin | undefined): void {
  mountPeople(app, people);
  mountLogin(app, login);
  app.get(['/docs', '/docs/'], docsPolicy(login));
  serve(app, ['/docs', '/docs/'], PAGE, 'docs.html');
  for (const [folder, name] of FILES) serve(app, [`/docs/${name}`], folder, name);
}

function serve(app: Express, paths: string[], folder: string, name: string): void {
  app.get(paths, (_request, response) => {
    // Asked for again each time, and sent again only when it has changed.
    response.setHeader('Cache-Control', 'no-cache');
    response.sendFile(name, { root: folder, cacheControl: false });
  });
}
