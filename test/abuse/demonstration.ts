import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { asBytes, overHttp } from './over-http.ts';
import type { HttpRow, RawRow } from './over-http.ts';
import { words } from '../support/words.ts';

/*
 * The page /docs gets tokens of the demonstration from the service, but only on the same machine. In these attacks
 * somebody else requests such tokens. Some requests are written as bytes, because no HTTP client library would send
 * them. To check these attacks, their author once removed the checks of the Origin header, the host name and the
 * headers of proxies from src/http/docs.ts: some attacks then succeeded.
 */

const REBINDING = 'CWE-350';
const ANOTHER_PAGE = 'CWE-352';
const PROXY = 'CWE-441';
const PATH = '/docs/people/ADMIN';

export const demonstration: Area = {
  name: 'demonstration',
  attacks: (world) => {
    const here = `127.0.0.1:${world.port}`;
    const own = { host: here, origin: `http://${here}` };

    const names = [
      ...['evil.example', `evil.example:${world.port}`, '127.0.0.1.evil.example', 'localhost.evil.example'],
      ...['127.0.0.1@evil.example', 'evil.example#127.0.0.1', 'localhost:3000.evil.example', '127.0.0.1,evil.example'],
      ...words(`
        localhost. xlocalhost 0.0.0.0 10.0.0.1 192.168.0.1 [::] [::ffff:10.0.0.1] 2130706433
      `),
      ...['127.1.evil', '127.0.0.1:', '127.0.0.1:80:80', '::1', '[::1'],
    ].map((host): HttpRow => {
      const headers = { host, origin: `http://${host}` };
      return [`a token for a page whose host name is ${host}`, REBINDING, '403', `POST ${PATH}`, { headers }];
    });

    const origins = [
      ...['https://evil.example', 'http://evil.example', 'null', '', 'http://localhost', 'http://127.0.0.1'],
      ...[`https://${here}`, `http://${here}.evil.example`, `http://${here}/`, `http://evil@${here}`, here],
      ...[`http://${here} http://evil.example`, `http://${here},http://evil.example`, `HTTP://${here}`, '*', 'file://'],
    ].map((origin): HttpRow => {
      const headers = { ...own, origin };
      return [`a token for a page of the origin ${origin}`, ANOTHER_PAGE, '403', `POST ${PATH}`, { headers }];
    });

    const proxies = ['Forwarded', 'Via', 'X-Forwarded-For', 'X-Forwarded-Host'].flatMap((name) =>
      ['127.0.0.1', '', 'for=127.0.0.1'].map((value): HttpRow => {
        const headers = { ...own, [name]: value };
        return [`a token through a proxy that sends ${name}: ${value}`, PROXY, '403', `POST ${PATH}`, { headers }];
      }),
    );

    const lines = [
      ...['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((method) => `${method} ${PATH}`),
      ...['ROOT', 'admin', 'ADMIN/', 'ADMIN%00', '..%2fADMIN', '*', ''].map((who) => `POST /docs/people/${who}`),
      ...['/DOCS/people/ADMIN', '/docs/PEOPLE/ADMIN', '//docs/people/ADMIN', '/docs/people.json'].map(
        (path) => `POST ${path}`,
      ),
    ].map((line): HttpRow => [line, 'OWASP API9:2023', '204|400|401|404|405', line, { headers: own }]);

    const bytes: readonly RawRow[] = [
      ...alike([REBINDING, '400'], {
        'a token with two Host headers': post(`Host: evil.example\r\nHost: ${here}\r\nOrigin: http://${here}\r\n`),
        'a token without a Host header': post(`Origin: http://${here}\r\n`),
      }),
      ...alike([ANOTHER_PAGE, '403'], {
        'a token with two Origin headers': post(
          `Host: ${here}\r\nOrigin: http://evil.example\r\nOrigin: http://${here}\r\n`,
        ),
        'a token by a form of another page': post(
          `Host: ${here}\r\nOrigin: http://evil.example\r\nSec-Fetch-Mode: navigate\r\n`,
        ),
        'a token without an Origin header': post(`Host: ${here}\r\n`),
      }),
      [
        'a token over HTTP/1.0 without a Host header',
        REBINDING,
        '403',
        `POST ${PATH} HTTP/1.0\r\nOrigin: http://${here}\r\n\r\n`,
      ],
    ];
    return [...overHttp(world, [...names, ...origins, ...proxies, ...lines]), ...asBytes(world, bytes)];
  },
};

function post(fields: string): string {
  return `POST ${PATH} HTTP/1.1\r\n${fields}Content-Length: 0\r\nConnection: close\r\n\r\n`;
}
