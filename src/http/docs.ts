import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express } from 'express';
import helmet from 'helmet';
import { RequestError } from '../errors.ts';
import type { Role } from '../identity/caller.ts';
import type { LoginDiscovery } from '../identity/discovery.ts';
import { isLoopback } from '../identity/loopback.ts';
import { sendReply } from './envelope.ts';
import { readRequestState } from './request-state.ts';

const PUBLIC_FOLDER = fileURLToPath(new URL('../../public', import.meta.url));
const { resolve } = createRequire(import.meta.url);
const SWAGGER_UI_FOLDER = dirname(resolve('swagger-ui-dist/package.json'));
const OIDC_CLIENT_FOLDER = join(dirname(resolve('oidc-client-ts/package.json')), 'dist', 'browser');

const FILES_BY_FOLDER = {
  [PUBLIC_FOLDER]: [
    'docs.css',
    'docs.js',
    'interface.css',
    'interface.js',
    'components.js',
    'endpoint-search.js',
    'login.js',
  ],
  [SWAGGER_UI_FOLDER]: ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'],
  [OIDC_CLIENT_FOLDER]: ['oidc-client-ts.min.js'],
};

export interface DocsLogin {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  readonly audience: string;
  readonly discovery: LoginDiscovery;
}

async function loginSettings({ discovery, ...settings }: DocsLogin): Promise<object> {
  return { ...settings, metadata: (await discovery.currentMetadata()) ?? null };
}

/** Lets the page /docs connect to the token endpoint of the identity provider. */
export function contentSecurityPolicy(tokenEndpoint?: string): ReturnType<typeof helmet.contentSecurityPolicy> {
  return helmet.contentSecurityPolicy({
    directives: {
      'style-src': ["'self'"],
      'font-src': ["'self'"],
      ...(tokenEndpoint !== undefined && { 'connect-src': ["'self'", new URL(tokenEndpoint).origin] }),
      'upgrade-insecure-requests': null,
    },
  });
}

export interface DemonstrationUser {
  readonly role: Role;
  readonly name: string;
  readonly clientAccess: readonly string[];
  token(): Promise<string>;
}

/** Headers that proxies add: if a request came through a proxy, its caller may be on another machine. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host'];

function mountUsers(app: Express, people: readonly DemonstrationUser[]): void {
  app.get('/docs/people.json', async (request, response) => {
    const shown = findRemoteReason(request) === undefined ? people : [];
    const body = shown.map(({ role, name, clientAccess }) => ({ role, name, clients: clientAccess.length }));
    await sendReply(response, { status: 200, body: JSON.stringify(body) });
  });
  for (const person of people) {
    app.post(`/docs/people/${person.role}`, async (request, response) => {
      readRequestState(request).resource = 'users';
      const reason = findRemoteReason(request) ?? findForeignPageReason(request);
      if (reason !== undefined) throw new RequestError('ERROR_FORBIDDEN', reason, { kind: 'docs_page' });
      await sendReply(response, { status: 200, body: JSON.stringify({ token: await person.token() }) });
    });
  }
}

/** Refuses host names of other machines: by DNS rebinding, another site's page could get this machine's origin. */
function findRemoteReason({ headers }: IncomingMessage): string | undefined {
  if (!isLoopback((headers.host ?? '').replace(/:\d+$/, ''))) return 'a demonstration by a name from elsewhere';
  return PROXY_HEADERS.some((name) => name in headers) ? 'a demonstration through a proxy' : undefined;
}

/** A browser sends the page's origin with every POST, and no page can forge the header Origin. */
function findForeignPageReason({ headers }: IncomingMessage): string | undefined {
  return headers.origin === `http://${headers.host ?? ''}` ? undefined : 'a demonstration from another page';
}

export function mountDocs(app: Express, people: readonly DemonstrationUser[], login: DocsLogin | undefined): void {
  mountUsers(app, people);
  app.get('/docs/login.json', async (_request, response) => {
    const body = JSON.stringify(login === undefined ? null : await loginSettings(login));
    await sendReply(response, { status: 200, body });
  });
  app.get('/docs', async (request, response, next) => {
    const provider = await login?.discovery.currentMetadata();
    contentSecurityPolicy(provider?.token_endpoint)(request, response, next);
  });
  serveFile(app, '/docs', PUBLIC_FOLDER, 'docs.html');
  // The page names its files relative to its own address, so that it also works below a proxy's path.
  app.get('/docs/', (_request, response) => {
    response.redirect(308, '../docs');
  });
  for (const [folder, names] of Object.entries(FILES_BY_FOLDER))
    for (const name of names) serveFile(app, `/docs/${name}`, folder, name);
}

function serveFile(app: Express, path: string, folder: string, name: string): void {
  app.get(path, (_request, response) => {
    response.setHeader('Cache-Control', 'no-cache');
    response.sendFile(name, { root: folder, cacheControl: false });
  });
}
