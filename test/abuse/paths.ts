import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { asBytes, overHttp } from './over-http.ts';
import type { HttpRow, RawRow } from './over-http.ts';
import { words } from '../support/words.ts';

/*
 * Attacks with unusual paths, for example with ../ in them, with unknown methods, and with other forms of a request’s
 * target. To check these attacks, their author once let patternOf of src/http/mount.ts match a parameter with `.+`:
 * some attacks then succeeded.
 */

const TRAVERSAL = 'ASVS 5, 5.3.2';

const OUT_OF = [
  ...words(`
    ../ ..%2f %2e%2e/ %2e%2e%2f ..%5c %252e%252e%252f ..%c0%af %c0%ae%c0%ae/ ....// ..;/ .%00./
  `),
  ...['..%u2215', '%uff0e%uff0e%u2215', '..%00/', '%2e%2e%5c', '\\..\\', '/%5C../', '.../', '%09../', '..%0d%0a/'],
];
const WANTED = ['etc/passwd', 'package.json', '.data/identity/signing-key.json'];

/** Paths that try to read files outside the folder of the page /docs. */
const fromDocs = OUT_OF.flatMap((step) =>
  WANTED.map((file): HttpRow => {
    return [`the file ${file} by ${step} below /docs`, TRAVERSAL, '400|401|404', `GET /docs/${step.repeat(6)}${file}`];
  }),
);

const fromApi = OUT_OF.map((step): readonly [string, string] => [
  `a path that leaves /api/sites by ${step}`,
  `/api/sites/${step}clients`,
]);

/** Paths that do not exist in the service. A careless proxy could rewrite some of them to a path that exists. */
const STRANGE: readonly (readonly [tries: string, path: string])[] = [
  ...fromApi,
  ['a path with API in capitals', '/API/clients'],
  ['a path with its resource in capitals', '/api/Clients'],
  ['a path with two slashes at its start', '//api/clients'],
  ['a path with two slashes in the middle', '/api//clients'],
  ['a path with a slash at the end', '/api/clients/'],
  ['a path with /./', '/api/./clients'],
  ['a path with a dot at the end', '/api/clients.'],
  ['a path with the extension .json', '/api/clients.json'],
  ['a path with the extension .css', '/api/clients.css'],
  ['a path with a path parameter', '/api/clients;role=ADMIN'],
  ['a path with an empty path parameter', '/api/;/clients'],
  ['a path with an encoded letter', '/api/client%73'],
  ['a path with an encoded slash', '/api%2fclients'],
  ['a path with a blank at the end', '/api/clients%20'],
  ['a path with a NUL at the end', '/api/clients%00'],
  ['a path with a line feed at the end', '/api/clients%0a'],
  ['a path with a tab at the end', '/api/clients%09'],
  ['a path with an encoded question mark', '/api/clients%3f'],
  ['a path with an encoded hash', '/api/clients%23'],
  ['the path /api/__proto__', '/api/__proto__'],
  ['the path /api/constructor', '/api/constructor'],
  ['the path /api/toString', '/api/toString'],
  ['the path of an administration page', '/admin'],
  ['the path of a Spring actuator', '/actuator/env'],
  ['the path of a debugger', '/debug/pprof'],
  ['the path of the metrics', '/metrics'],
  ['the path of a Git repository', '/.git/config'],
  ['the path of a .env file', '/.env'],
  ['the OpenAPI description under another path', '/openapi.json'],
  ['the OpenAPI description with a slash at the end', '/api-json/'],
  ['the path of an API version', '/api/v1/clients'],
  ['the path of a beta version', '/beta/api/clients'],
  ['the path of a GraphQL schema', '/graphql'],
  ['a path of 5,000 parts', `/${'a/'.repeat(2_500)}`],
  ['a path with only an asterisk', '/*'],
  ['a URL as a path', '/http://127.0.0.1/'],
];

const METHODS = words(`
  TRACE OPTIONS PATCH PROPFIND COPY MOVE LOCK PURGE SEARCH LINK REPORT MKCOL QUERY
`);

export const paths: Area = {
  name: 'paths',
  attacks: (world) => {
    const {
      tokens: { manager: token },
      mine,
    } = world;
    const target = `Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
    const raw = (line: string): string => `${line} HTTP/1.1\r\nHost: here\r\n${target}`;
    const RFC = 'RFC 9112, 3.2';
    const bytes: readonly RawRow[] = [
      ['a target with the URL of another host', RFC, '200', raw('GET http://other.example/api/clients')],
      ...alike([RFC, '400'], {
        'a target with a URL without a path': raw('GET http://other.example'),
        'a target with a file: URL': raw('GET file:///etc/passwd'),
        'a target with only a host and port': raw('GET other.example:80'),
        'a request line without a target': raw('GET '),
        'a target without a slash': raw('GET api/clients'),
        'a target with backslashes': raw('GET \\api\\clients'),
        'a blank in the target': raw('GET /api/cli ents'),
        'a tab in the target': raw('GET /api/cli\tents'),
        'a NUL in the target': raw('GET /api/clients\0'),
      }),
      ['OPTIONS with an asterisk as target', RFC, '404', raw('OPTIONS *')],
      ['GET with an asterisk as target', RFC, '404|400', raw('GET *')],
      ...alike(['RFC 9110, 9.3.6', '400'], {
        'CONNECT to another host': raw('CONNECT other.example:443'),
        'CONNECT to a path': raw('CONNECT /api/clients'),
      }),
      ['a target with bytes above ASCII', RFC, '400|404', raw('GET /api/clients\xe9')],
      ['a target with a hash', RFC, '200|400', raw('GET /api/clients#x')],
      ['a target of 9,000 characters', 'RFC 9112, 3', '414', raw(`GET /api/clients?q=${'a'.repeat(9_000)}`)],
      ['a target of 300,000 characters', 'RFC 9112, 3', '431', raw(`GET /${'a'.repeat(300_000)}`)],
      ['a method of 10,000 characters', 'RFC 9112, 3', '400', raw(`${'A'.repeat(10_000)} /api/clients`)],
      ...alike(['RFC 9110, 9.1', '400'], {
        'a method in small letters': raw('get /api/clients'),
        'a method of another protocol': raw('MAIL /api/clients'),
        'the method TRACK': raw('TRACK /api/clients'),
      }),
      ['a request in HTTP/0.9', 'RFC 9112, 2.3', '400|nothing', 'GET /api/clients\r\n'],
      ['a request in HTTP/2', 'RFC 9113, 3.4', '400', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ...alike(['RFC 9112, 2.3', '400'], {
        'a request in HTTP/9.9': `GET /api/clients HTTP/9.9\r\nHost: here\r\n${target}`,
        'a request in HTTP/1.10': `GET /api/clients HTTP/1.10\r\nHost: here\r\n${target}`,
      }),
      ...alike(['RFC 9112, 2.2', '400'], {
        'the first bytes of a TLS connection': Buffer.from('16030100c8010000c40303', 'hex'),
        '4,096 arbitrary bytes': Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 151) % 256)),
      }),
    ];
    return [
      ...overHttp(world, [
        ...fromDocs,
        ...STRANGE.flatMap(([tries, path]): HttpRow[] => [
          [tries, TRAVERSAL, '400|404', `GET ${path}`, { token }],
          [`${tries}, without a token`, 'API5:2023', '400|401', `GET ${path}`],
        ]),
        ...METHODS.flatMap((method): HttpRow[] => [
          [`${method} of a list`, 'API5:2023', '405', `${method} /api/clients`, { token }],
          [`${method} of a record`, 'API5:2023', '405', `${method} /api/sites/${mine.sites}`, { token }],
          [`${method} without a token`, 'API5:2023', '401', `${method} /api/clients`],
        ]),
        ...alike(['API5:2023', '405'], {
          'DELETE of a list': ['DELETE /api/sites', { token }],
          'DELETE of a user': [`DELETE /api/users/${mine.users}`, { token }],
          'POST of an audit record': ['POST /api/audit-logs', { token, body: {} }],
          'DELETE of the audit log': ['DELETE /api/audit-logs', { token }],
          'PUT of a claim’s history': [`PUT /api/reclamations/${mine.reclamations}/history`, { token, body: {} }],
        }),
        ['POST to /health', 'API5:2023', '401', 'POST /health', {}],
        ['the OpenAPI description without a token', 'API9:2023', '401', 'GET /api-json', {}],
      ]),
      ...asBytes(world, bytes),
    ];
  },
};
