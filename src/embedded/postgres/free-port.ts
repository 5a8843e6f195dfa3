import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A port of this machine that nobody listens on: the preferred one where it is free. */
export async function freePort(preferred: number): Promise<number> {
  return probe(preferred).catch(() => probe(0));
}

/**
 * Listens on a port for a moment.
 * @returns its number.
 * @throws the error of the system where it cannot be listened on.
 */
export async function probe(port: number, host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return address.port;
}
