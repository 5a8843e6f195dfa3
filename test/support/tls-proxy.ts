import { once } from 'node:events';
import { request as send } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** Of `localhost`, believed by nobody but a test that says so; until 2124. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBRDCB66ADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0yNDAxMDEwMDAwMDBaGA8yMTI0MDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/U6srJHxrtB0if6y
kOUgK3y2mrKLwZZxid5F4a1zElE0UOjyKOEpk7X6ExGSybvu+37DxlJnm2tLamQL
EAtKv6MsMCowFAYDVR0RBA0wC4IJbG9jYWxob3N0MBIGA1UdEwEB/wQIMAYBAf8C
AQAwCgYIKoZIzj0EAwIDSAAwRQIgFvVRTnrhkXWIBkgNaqr6rUpQK5QOXaGj+4sT
P5aiTnACIQCFxJXfqIIHAYmjar9wLCoD4o+dYYRlxyPntA5wsyLMSQ==
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWYaqngSaO4BvLFlt
v6Oos2ay+D2YqUGLfl0AAFTt4byhRANCAAT9TqyskfGu0HSJ/rKQ5SArfLaasovB
lnGJ3kXhrXMSUTRQ6PIo4SmTtfoTEZLJu+77fsPGUmeba0tqZAsQC0q/
-----END PRIVATE KEY-----`;

/** What ends TLS in front of a service, and says who asked. */
export interface TlsProxy {
  readonly port: number;
  /** The ports of this machine to which requests are led, one after the other. */
  targets: readonly number[];
  /** The address that it says requests come from. */
  client: string;
  close(): Promise<void>;
}

export async function startTlsProxy(): Promise<TlsProxy> {
  let count = 0;
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    const { method, url, headers } = request;
    const port = proxy.targets[count % proxy.targets.length];
    count += 1;
    const told = { ...headers, 'x-forwarded-for': proxy.client, 'x-forwarded-proto': 'https' };
    const onward = send({ host: '127.0.0.1', port, method, path: url, headers: told }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.writeHead(502).end());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = {
    port: (server.address() as AddressInfo).port,
    targets: [] as readonly number[],
    client: '198.51.100.1',
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
