import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

export async function findFreePort(preferred: number): Promise<number> {
  return listenBriefly(preferred).catch(() => listenBriefly(0));
}

/** Listens briefly to check that a port is free, and returns its number. @throws the error of the system */
export async function listenBriefly(port: number, host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return address.port;
}
