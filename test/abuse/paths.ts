import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { asBytes, overHttp } from './over-http.ts';
import type { HttpRow, RawRow } from './over-http.ts';
import { words } from '../support/words.ts';

/*
 * Paths that lead elsewhere, methods that nobody has, and targets in other forms. Seen red where patternOf of
 * src/http/mount.ts lets `.+` stand for a parameter.
 */

const TRAVERSAL = 'ASVS 5, 5.3.2';

const OUT_OF = [
  ...words(`
    ../ ..%2f %2e%2e/ %2e%2e%2f ..%5c %252e%252e%252f ..%c0%af %c0%ae%c0%ae/ ....// ..;/ .%00./
  `),
  ...['..%u2215', '%uff0e%uff0e%u2215', '..%00/', '%2e%2e%5c', '\\..\\', '/%5C../', '.../', '%09../', '..%0d%0a/'],
];
const WANTED = ['etc/passwd', 'package.json', '.data/identity/signing-key.json'];

/** No file of the page is reached by another name than its own. */
const fromDocs = OUT_OF.flatMap((step) =>
  WANTED.map((file): HttpRow => {
    return [`out of /docs by ${step}: ${file}`, TRAVERSAL, '400|401|404', `GET /docs/${step.repeat(6)}${file}`];
  }),
);

const fromApi = OUT_OF.map((step): readonly [string, string] => [
  `out of a resource by ${step}`,
  `/api/sites/${step}clients`,
]);

/** Nothing of this is a path of ours, whatever a proxy would make of it. */
const STRANGE: readonly (readonly [tries: string, path: string])[] = [
  ...fromApi,
  ['capitals', '/API/clients'],
  ['capitals of the resource', '/api/Clients'],
  ['a slash more in front', '//api/clients'],
  ['a slash more between', '/api//clients'],
  ['a slash at the end', '/api/clients/'],
  ['a dot', '/api/./clients'],
  ['a dot at the end', '/api/clients.'],
  ['an ending', '/api/clients.json'],
  ['an ending of a page', '/api/clients.css'],
  ['parameters of the path', '/api/clients;role=ADMIN'],
  ['parameters of Java', '/api/;/clients'],
  ['an encoded letter', '/api/client%73'],
  ['an encoded slash', '/api%2fclients'],
  ['a blank at the end', '/api/clients%20'],
  ['a NUL at the end', '/api/clients%00'],
  ['a line at the end', '/api/clients%0a'],
  ['a tab', '/api/clients%09'],
  ['a question mark that is encoded', '/api/clients%3f'],
  ['a hash that is encoded', '/api/clients%23'],
  ['the prototype', '/api/__proto__'],
  ['the constructor', '/api/constructor'],
  ['a method of objects', '/api/toString'],
  ['an administration', '/admin'],
  ['an actuator', '/actuator/env'],
  ['a debugger', '/debug/pprof'],
  ['metrics', '/metrics'],
  ['a repository', '/.git/config'],
  ['an environment', '/.env'],
  ['the description under another name', '/openapi.json'],
  ['the description with a slash', '/api-json/'],
  ['an old version', '/api/v1/clients'],
  ['a beta', '/beta/api/clients'],
  ['a schema', '/graphql'],
  ['a path of 5,000 parts', `/${'a/'.repeat(2_500)}`],
  ['the wildcard as a path', '/*'],
  ['an address as a path', '/http://127.0.0.1/'],
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
      ['the absolute form of another host', RFC, '200', raw('GET http://other.example/api/clients')],
      ...alike([RFC, '400'], {
        'the absolute form without a path': raw('GET http://other.example'),
        'the absolute form of another scheme': raw('GET file:///etc/passwd'),
        'the form of an authority': raw('GET other.example:80'),
        'no target': raw('GET '),
        'a target without a slash': raw('GET api/clients'),
        'a backslash': raw('GET \\api\\clients'),
        'a blank in the target': raw('GET /api/cli ents'),
        'a tab in the target': raw('GET /api/cli\tents'),
        'a NUL in the target': raw('GET /api/clients\0'),
      }),
      ['the asterisk', RFC, '404', raw('OPTIONS *')],
      ['the asterisk for a GET', RFC, '404|400', raw('GET *')],
      ...alike(['RFC 9110, 9.3.6', '400'], {
        'a tunnel': raw('CONNECT other.example:443'),
        'a tunnel to a path': raw('CONNECT /api/clients'),
      }),
      ['bytes above ASCII', RFC, '400|404', raw('GET /api/clients\xe9')],
      ['a hash', RFC, '200|400', raw('GET /api/clients#x')],
      ['a target of 9,000 characters', 'RFC 9112, 3', '414', raw(`GET /api/clients?q=${'a'.repeat(9_000)}`)],
      ['a target of 300,000 characters', 'RFC 9112, 3', '431', raw(`GET /${'a'.repeat(300_000)}`)],
      ['a method of 10,000 characters', 'RFC 9112, 3', '400', raw(`${'A'.repeat(10_000)} /api/clients`)],
      ...alike(['RFC 9110, 9.1', '400'], {
        'a method in small letters': raw('get /api/clients'),
        'a method of another protocol': raw('MAIL /api/clients'),
        'a method that shows what was sent': raw('TRACK /api/clients'),
      }),
      ['HTTP/0.9', 'RFC 9112, 2.3', '400|nothing', 'GET /api/clients\r\n'],
      ['HTTP/2', 'RFC 9113, 3.4', '400', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ...alike(['RFC 9112, 2.3', '400'], {
        'HTTP/9.9': `GET /api/clients HTTP/9.9\r\nHost: here\r\n${target}`,
        'HTTP/1.10': `GET /api/clients HTTP/1.10\r\nHost: here\r\n${target}`,
      }),
      ...alike(['RFC 9112, 2.2', '400'], {
        'a greeting of TLS': Buffer.from('16030100c8010000c40303', 'hex'),
        'what no client sends': Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 151) % 256)),
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
          'to delete a list': ['DELETE /api/sites', { token }],
          'to delete a user': [`DELETE /api/users/${mine.users}`, { token }],
          'to write an audit record': ['POST /api/audit-logs', { token, body: {} }],
          'to delete the audit log': ['DELETE /api/audit-logs', { token }],
          'to change the history': [`PUT /api/reclamations/${mine.reclamations}/history`, { token, body: {} }],
        }),
        ['to write to /health', 'API5:2023', '401', 'POST /health', {}],
        ['the description without a token', 'API9:2023', '401', 'GET /api-json', {}],
      ]),
      ...asBytes(world, bytes),
    ];
  },
};
