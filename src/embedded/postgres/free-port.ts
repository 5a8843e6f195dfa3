import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A port of this machine that nobody listens on: the preferred one where it is free. */
export async function freePort(preferred: number): Promise<number> {
  return probe(preferred).catch(() => probe(0));
}

async function probe(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return address.port;
}
