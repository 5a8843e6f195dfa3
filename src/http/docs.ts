import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express } from 'express';
import { docsPolicy, mountLogin } from './docs-login.ts';
import type { DocsLogin } from './docs-login.ts';
import { mountPeople } from './docs-people.ts';
import type { Person } from './docs-people.ts';

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

/** Adds the interactive page. It is static and needs no token; the description that it loads does. */
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
