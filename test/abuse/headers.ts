import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { asBytes, overHttp } from './over-http.ts';
import type { HttpRow, RawRow } from './over-http.ts';
import { words } from '../support/words.ts';

/*
 * Attacks with requests whose length a proxy and the service could understand differently, so that a second request is
 * hidden in the body. Other attacks have headers that claim more rights than the token has. If only one answer arrives,
 * the service has not run the hidden request. To check these attacks, their author once let src/http/server.ts read a
 * second request before it had answered the first: some attacks then succeeded.
 */

const FRAMING = 'RFC 9112, 6.3';

export const headers: Area = {
  name: 'headers',
  attacks: (world) => {
    const {
      tokens: { manager: token, client },
      mine,
      foreign,
    } = world;
    const authorization = `Authorization: Bearer ${token}\r\n`;
    const hidden = `GET /api/clients HTTP/1.1\r\nHost: here\r\n${authorization}\r\n`;
    const login = (fields: string, body: string): string =>
      `POST /api/auth/login HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n${fields}\r\n${body}`;
    const read = (fields: string, rest = ''): string =>
      `GET /api/clients HTTP/1.1\r\nHost: here\r\n${authorization}${fields}\r\n${rest}`;
    const empty = `0\r\n\r\n${hidden}`;
    const both = (te: string, cl = '4'): string =>
      login(`Content-Length: ${cl}\r\nTransfer-Encoding: ${te}\r\n`, empty);
    const length = (value: string): string => login(`Content-Length: ${value}\r\n`, `{}${hidden}`);
    const chunked = (chunks: string): string => login('Transfer-Encoding: chunked\r\n', chunks + hidden);

    const framing: readonly RawRow[] = [
      ...alike([FRAMING, '400'], {
        'Content-Length and Transfer-Encoding': both('chunked'),
        'Transfer-Encoding before Content-Length': login('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', empty),
        'a Content-Length of 0 and Transfer-Encoding': both('chunked', '0'),
        'two Transfer-Encoding headers': login('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', empty),
        'the header Transfer_Encoding': login('Transfer_Encoding: chunked\r\nContent-Length: 2\r\n', '{}'),
        'two different Content-Length headers': login('Content-Length: 2\r\nContent-Length: 40\r\n', `{}${hidden}`),
        'two equal Content-Length headers': login('Content-Length: 2\r\nContent-Length: 2\r\n', `{}${hidden}`),
        'a Content-Length shorter than the body': login('Content-Length: 2\r\n', `{}${hidden}`),
      }),
      ...[
        ...words('xchunked chunked,chunked "chunked" chunked;x identity'),
        ...[
          'chunked, identity',
          'identity, chunked',
          'gzip, chunked',
          'CHUNKED ',
          ' chunked',
          '\tchunked',
          '\x0bchunked',
        ],
        ...['chunked\x00', 'x chunked'],
      ].flatMap((te): RawRow[] => [
        [`a Content-Length and the Transfer-Encoding ${JSON.stringify(te)}`, FRAMING, '400', both(te)],
        [
          `the Transfer-Encoding ${JSON.stringify(te)} alone`,
          'RFC 9112, 6.1',
          '400|401|413|415|501',
          login(`Transfer-Encoding: ${te}\r\n`, ''),
        ],
      ]),
      ['a space before the colon of a header', 'RFC 9112, 5.1', '400', login('Transfer-Encoding : chunked\r\n', empty)],
      ...alike(['RFC 9112, 5.2', '400'], {
        'a folded Transfer-Encoding header': login('Transfer-Encoding:\r\n chunked\r\nContent-Length: 4\r\n', empty),
        'a space before a header name': login(' Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', empty),
      }),
      ...[
        ...words('-2 +2 0x2 2.0 2e0 2,2 two 18446744073709551618'),
        ...['2, 40', ' ', '', '2 2', '9'.repeat(400), '\xb2'],
      ].map(
        (value): RawRow => [
          `the Content-Length ${JSON.stringify(value).slice(0, 24)}`,
          'RFC 9110, 8.6',
          '400',
          length(value),
        ],
      ),
      ...alike(['RFC 9110, 9.3.1', '200'], {
        'a GET request with a body': read('Content-Length: 4\r\n', `{}{}${hidden}`),
        'a read with a chunked body': read('Transfer-Encoding: chunked\r\n', `2\r\n{}\r\n${empty}`),
      }),
      ...alike(['RFC 9112, 9.3.2', '200'], {
        'two pipelined requests': read('', hidden),
        '101 pipelined requests': read('', hidden.repeat(100)),
      }),
      ...alike(['RFC 9112, 7.1', '400'], {
        'a chunk whose length is too long': chunked('ffffffffffffffff\r\n{}\r\n0\r\n\r\n'),
        'a chunk whose length overflows': chunked('10000000000000002\r\n{}\r\n0\r\n\r\n'),
        'a chunk of a negative length': chunked('-2\r\n{}\r\n0\r\n\r\n'),
        'a chunk length with the prefix 0x': chunked('0x2\r\n{}\r\n0\r\n\r\n'),
        'a chunk longer than its length': chunked('2\r\n{}}\r\n0\r\n\r\n'),
        'a chunk with a line feed alone': chunked('2\n{}\n0\n\n'),
      }),
      [
        'a chunk with an extension without end',
        'RFC 9112, 7.1.1',
        '400|413',
        chunked(`2;${'a'.repeat(200_000)}\r\n{}\r\n0\r\n\r\n`),
      ],
      ['a chunk with a line feed in its extension', 'RFC 9112, 7.1.1', '400', chunked(`2;x\n{}\r\n0\r\n\r\n`)],
      ['a chunk that never ends', 'RFC 9112, 7.1', '400|nothing', login('Transfer-Encoding: chunked\r\n', '2\r\n{')],
      [
        'a trailer with a token',
        'RFC 9112, 7.1.2',
        '401',
        `POST /api/clients HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n0\r\n${authorization}\r\n`,
      ],
      ['a trailer with a length', 'RFC 9112, 7.1.2', '400', chunked('2\r\n{}\r\n0\r\nContent-Length: 9\r\n\r\n')],
      [
        'a request with 300,000 bytes of trailers',
        'RFC 9112, 7.1.2',
        '400|413|431',
        login('Transfer-Encoding: chunked\r\n', `0\r\n${'a: b\r\n'.repeat(50_000)}\r\n`),
      ],
      ...alike(['RFC 9112, 2.2', '400'], {
        'a line feed alone': `GET /api/clients HTTP/1.1\nHost: here\n\n${hidden}`,
        'a carriage return alone': read('X-One: 1\rX-Two: 2\r\n'),
      }),
      ...alike(['RFC 9110, 5.5', '400'], {
        'a NUL character in a header value': read('X-One: a\0b\r\n'),
        'a terminal escape in a header value': read('User-Agent: \x1b[2J\r\n'),
      }),
      ...alike(['RFC 9110, 5.1', '400'], {
        'a NUL character in a header name': read('X-O\0ne: a\r\n'),
        'a space in a header name': read('X One: a\r\n'),
        'a header without a name': read(': a\r\n'),
      }),
      ['a header without a colon', 'RFC 9112, 5', '400', read('X-One\r\n')],
      ...alike(['RFC 9112, 3.2', '400'], {
        'a request without a Host header': `GET /api/clients HTTP/1.1\r\n${authorization}\r\n`,
        'two Host headers': read('Host: there\r\n'),
      }),
      ...alike(['API4:2023', '431'], {
        '101 extra header lines': read('X: 1\r\n'.repeat(101)),
        '5,000 extra header lines': read('X: 1\r\n'.repeat(5_000)),
        'a header of 300,000 characters': read(`X-One: ${'a'.repeat(300_000)}\r\n`),
        'a Host header of 2,000 characters': `GET /api/clients HTTP/1.1\r\nHost: ${'a'.repeat(2_000)}\r\n\r\n`,
      }),
      [
        'an upgrade to HTTP/2',
        'RFC 9113, 3.1',
        '200',
        read('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n', hidden),
      ],
      [
        'an upgrade to a web socket',
        'RFC 6455, 4',
        '200',
        read(
          'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
          hidden,
        ),
      ],
      [
        'a Connection header that names Authorization',
        'RFC 9110, 7.6.1',
        '200',
        read('Connection: close, Authorization\r\n'),
      ],
      ['an unknown value of Expect', 'RFC 9110, 10.1.1', '200', read('Connection: close\r\nExpect: 200-ok\r\n')],
    ];

    const get = (
      tries: string,
      source: string,
      must: string,
      name: string,
      value: string | string[],
      line = 'GET /api/clients',
    ): HttpRow => [tries, source, must, line, { token: client, headers: { [name]: value } }];
    const elsewhere = `/api/clients/${foreign.clients}`;
    const wanted: readonly HttpRow[] = [
      ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', '_method'].map((name) =>
        get(
          `DELETE as method in the header ${name}`,
          'API5:2023',
          '200',
          name,
          'DELETE',
          `GET /api/sites/${mine.sites}`,
        ),
      ),
      ...words(`
        X-Original-URL X-Rewrite-URL X-Forwarded-Uri X-Forwarded-Prefix Content-Location Referer Destination
      `).map((name) => get(`another path in the header ${name}`, 'API5:2023', '200', name, elsewhere)),
      ...words(`
        X-User-Id X-Role X-Roles X-Client-Access X-Client-Id X-Tenant-Id X-Forwarded-User Remote-User
        X-Authenticated-User X-Amzn-Oidc-Data X-Goog-Iap-Jwt-Assertion Cookie X-Access-Token X-Api-Key
      `).flatMap((name): HttpRow[] => [
        get(`another identity in the header ${name}`, 'API2:2023', '403', name, 'ADMIN', `GET ${elsewhere}`),
        [
          `a token in the header ${name}`,
          'RFC 6750, 2',
          '401',
          'GET /api/clients',
          { headers: { [name]: `Bearer ${token}` } },
        ],
      ]),
      ['a token in the query', 'RFC 6750, 2.3', '401', `GET /api/clients?access_token=${token}`, {}],
      ['a token in a body', 'RFC 6750, 2.2', '401', 'POST /api/clients', { body: { access_token: token } }],
      ...['Basic', 'Digest', 'Token', 'JWT', 'Negotiate', 'DPoP', 'Bearer\u00a0', 'Bearer:', 'Bearer Bearer'].map(
        (scheme): HttpRow => [
          'a token under the scheme ' + scheme,
          'RFC 6750, 2.1',
          '401',
          'GET /api/clients',
          { headers: { authorization: `${scheme} ${token}` } },
        ],
      ),
      ...words('X-Forwarded-For X-Real-IP Forwarded True-Client-IP CF-Connecting-IP X-Client-IP Via').flatMap((name) =>
        [
          '127.0.0.1',
          "1.1.1.1'; drop table public.audit_logs; --",
          '999.999.999.999',
          '::ffff:1.2.3.4%eth0',
          'for=_hidden',
          'a'.repeat(4_000),
        ].map(
          (value): HttpRow => [
            'a caller address in ' + name + ': ' + value.slice(0, 20),
            'API4:2023',
            '401',
            'GET /api/clients',
            { headers: { [name]: value } },
          ],
        ),
      ),
      ...[
        "'; drop table public.audit_logs; --",
        '${jndi:ldap://127.0.0.1/x}',
        '<script>alert(1)</script>',
        '%00%0d%0a',
        '\u00e9\u00ff',
        'x'.repeat(200_000),
      ].map(
        (agent): HttpRow => [
          `a request with the user agent ${agent.slice(0, 30)}`,
          'ASVS 5, 16.4.1',
          '401',
          'GET /api/clients',
          { headers: { 'user-agent': agent } },
        ],
      ),
      ...[
        'https://evil.example',
        'null',
        'http://127.0.0.1',
        'https://evil.example, https://other.example',
        'file://',
      ].map((origin) => get(`a list with the origin ${origin}`, 'API8:2023', '200', 'Origin', origin)),
      ...['*', '"x"', 'W/"x"', '"', 'x', '"a","b"', ','.repeat(4_000), '"x"'.repeat(2_000)].flatMap(
        (tag): HttpRow[] => [
          get(
            `a list with the If-None-Match value ${tag.slice(0, 12)}`,
            'RFC 9110, 13.1.2',
            '200|304|400',
            'If-None-Match',
            tag,
            `GET /api/sites/${mine.sites}`,
          ),
          [
            'a change of a foreign site with the If-Match value ' + tag.slice(0, 12),
            'API1:2023',
            '400|403',
            `PUT /api/sites/${foreign.sites}`,
            { token, body: {}, headers: { 'if-match': tag } },
          ],
        ],
      ),
      ...['text/html', 'application/xml', 'text/csv', '*/*;q=0', '../../etc/passwd'].map((accept) =>
        get(`a list with the Accept value ${accept}`, 'ASVS 5, 4.1.1', '200|406', 'Accept', accept),
      ),
      get('an Accept value of 20,000 characters', 'API4:2023', '431', 'Accept', 'a'.repeat(20_000)),
      ...['gzip;q=0', 'br, gzip, zstd', '*'].map((coding) =>
        get(`a list with the Accept-Encoding value ${coding}`, 'API4:2023', '200', 'Accept-Encoding', coding),
      ),
      get('an Accept-Encoding value of 10,000 characters', 'API4:2023', '431', 'Accept-Encoding', 'x'.repeat(10_000)),
      ...[
        'bytes=0-',
        'bytes=0-0,1-1,2-2',
        'bytes=-1',
        'bytes=9999-',
        'lines=1-2',
        `bytes=${'0-0,'.repeat(200)}1-1`,
      ].map((range) => get(`a list with the range ${range.slice(0, 20)}`, 'API4:2023', '200|416|431', 'Range', range)),
    ];
    return [...asBytes(world, framing), ...overHttp(world, wanted)];
  },
};
