import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

interface Frontend {
  readonly origin: string;
  close(): Promise<unknown>;
}

const LIBRARY = join(
  dirname(createRequire(import.meta.url).resolve('oidc-client-ts/package.json')),
  ...['dist', 'browser', 'oidc-client-ts.min.js'],
);
const PAGE = '<!doctype html><link rel="icon" href="data:,"><script src="/library.js"></script><p>A frontend</p>';

/** Serves test pages from another origin than that of the API: the given pages, or one page with oidc-client-ts. */
export async function startFrontend(pages?: Readonly<Record<string, string>>): Promise<Frontend> {
  const files = pages ?? { '/library.js': await readFile(LIBRARY, 'utf8') };
  const server = createServer(({ url = '/' }, response) => {
    response.setHeader('Content-Type', url.endsWith('.js') ? 'text/javascript' : 'text/html');
    response.end(files[url] ?? PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
