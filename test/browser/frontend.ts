import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

/** A page of another origin, with oidc-client-ts as `oidc` in it. */
interface Frontend {
  readonly origin: string;
  close(): Promise<unknown>;
}

const LIBRARY = join(
  dirname(createRequire(import.meta.url).resolve('oidc-client-ts/package.json')),
  ...['dist', 'browser', 'oidc-client-ts.min.js'],
);
const PAGE =
  '<!doctype html><link rel="icon" href="data:,"><script src="/library.js"></script><p>A frontend</p>';

export async function startFrontend(): Promise<Frontend> {
  const library = await readFile(LIBRARY);
  const server = createServer((request, response) => {
    const [type, body] = request.url === '/library.js' ? ['text/javascript', library] : ['text/html', PAGE];
    response.setHeader('Content-Type', type).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
