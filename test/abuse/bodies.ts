import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import { words } from '../support/words.ts';

/*
 * Attacks with malformed and huge bodies, with bodies that set fields which the caller has no right to write, and with
 * texts that are code to SQL, HTML or a spreadsheet. To check these attacks, their author once removed the limits on
 * depth and values from src/http/json-budget.ts: some attacks then succeeded.
 */

const BUDGET = 'API4:2023';
const MASS = 'API3:2023';
const TYPES = 'ASVS 5, 2.2.1';
const INJECTION = 'ASVS 5, 1.2';

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);
const spaces = (bytes: number): Buffer =>
  Buffer.concat([Buffer.from('{"client_id":'), Buffer.alloc(bytes, 32), Buffer.from('1}')]);

/**
 * Request bodies that every endpoint must refuse, each with the expected status. Some of them set the field
 * `created_at`, which no endpoint accepts.
 */
function texts(): readonly (readonly [tries: string, source: string, must: string, body: string | Buffer])[] {
  return [
    ...alike([TYPES, '400'], {
      'an empty body': '',
      'a body of one space': ' ',
    }),
    ...[
      ...words(String.raw`
        null [] "x" 1 true { } {}{} {"a":} {'a':1} {a:1} {"a":1,} [1,2 {"a":01} {"a":+1} {"a":.5} {"a":NaN} {"a":Infinity}
        {"a":-} {"a":"\x"} {"a":"\u00"} __proto__ undefined
      `),
      ...['\u00a0{}', '{"a":"\t"}', '// x\n{}', '{}/* x */'],
    ].map((body) => [`the body ${body}`, 'RFC 8259', '400', body] as const),
    ...alike([BUDGET, '400'], {
      'arrays nested 21 deep': `{"created_at":${nested('[', ']', 21)}}`,
      'arrays nested 100,000 deep': `{"created_at":${nested('[', ']', 100_000)}}`,
      'objects nested 30,000 deep': `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`,
      'an array of 20,001 values': `{"created_at":[${'1,'.repeat(20_000)}1]}`,
      'an object of 20,000 fields': `{${Array.from({ length: 20_000 }, (_, at) => `"f${at}":1`).join(',')}}`,
      'the same field 12,001 times': `{${'"created_at":1,'.repeat(12_000)}"created_at":1}`,
      'a number of 200,000 digits': `{"created_at":${'9'.repeat(200_000)}}`,
      'a number of 16 digits': '{"created_at":1234567890123456}',
      'a field name of 200,000 characters': `{"${'a'.repeat(200_000)}":1}`,
      'a text of 40,000 escaped characters': `{"a":"${'\\u0041'.repeat(40_000)}"}`,
    }),
    ...alike([BUDGET, '413'], {
      'a body of 300,000 bytes': `{"a":"${'a'.repeat(300_000)}"}`,
      'a body of 30 million spaces': Buffer.alloc(30_000_000, 32),
    }),
    ...alike(['RFC 8259, 8.1', '400'], {
      'a body in Latin-1': Buffer.from('{"site_name":"\xe9\xff"}', 'latin1'),
      'a body with a byte order mark': Buffer.from('\ufeff{"a":1}'),
      'a body in UTF-16': Buffer.from('{"a":1}', 'utf16le'),
    }),
    ...alike(['RFC 3629, 3', '400'], {
      'an overlong UTF-8 sequence': Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
      'an unpaired surrogate in UTF-8': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    }),
    ...alike(['API3:2023', '400'], {
      'a field __proto__': '{"__proto__":{"role":"ADMIN"}}',
      'a field constructor with a prototype': '{"constructor":{"prototype":{"role":"ADMIN"}}}',
    }),
    ['an object that some parsers revive as a date', 'ASVS 5, 1.5.2', '400', '{"$date":"2026-01-01"}'],
    ['a query operator of MongoDB', INJECTION, '400', '{"client_id":{"$ne":null}}'],
    [
      'XML with an external entity',
      'ASVS 5, 1.5.1',
      '400',
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
    ],
  ];
}

/** Bodies with a wrong content type or a wrong encoding, each with the expected status. */
function types(token: string): HttpRow[] {
  const ask = (tries: string, must: string, headers: Record<string, string>, body: string | Buffer = '{}'): HttpRow => [
    tries,
    'RFC 9110, 8.3',
    must,
    'POST /api/sites',
    { token, headers, body },
  ];
  const json = { 'content-type': 'application/json' };
  const bomb = spaces(50_000_000);
  return [
    ...[
      ...words(`
        text/plain text/json application/x-www-form-urlencoded application/xml application/json-patch+json application/yaml
        application/x-java-serialized-object application/jsonp json */* application/json;charset=utf-16
        application/json;charset=utf-7 application/json;charset="
      `),
      ...['multipart/form-data; boundary=x', '', 'application/json, text/plain', `application/json;${'a'.repeat(900)}`],
    ].map((type) => ask(`a body of type ${type.slice(0, 40)}`, '400|415', { 'content-type': type })),
    ...[
      ...words('compress gzip,deflate zstd x-gzip aes128gcm __proto__ constructor chunked'),
      ...['gzip, gzip', '', 'a'.repeat(90)],
    ].map((coding) => ask(`a body of the encoding ${coding}`, '400|415', { ...json, 'content-encoding': coding })),
    ask('a body of 50 MB in gzip', '413', { ...json, 'content-encoding': 'gzip' }, gzipSync(bomb)),
    ask('a body of 50 MB in deflate', '413', { ...json, 'content-encoding': 'deflate' }, deflateSync(bomb)),
    ask('a body of 50 MB in brotli', '413', { ...json, 'content-encoding': 'br' }, brotliCompressSync(bomb)),
    ask('a body of 50 MB in zstandard', '415', { ...json, 'content-encoding': 'zstd' }, zstdCompressSync(bomb)),
    ask(
      'a gzip body with bytes after its end',
      '400',
      { ...json, 'content-encoding': 'gzip' },
      Buffer.concat([gzipSync('{}'), Buffer.alloc(100, 1)]),
    ),
    ask(
      'a body of fifty concatenated gzip streams',
      '413|400',
      { ...json, 'content-encoding': 'gzip' },
      Buffer.concat(Array.from({ length: 50 }, () => gzipSync(Buffer.alloc(1_000_000, 32)))),
    ),
  ];
}

/** Requests that try to change fields which the caller has no right to write, in records of the caller’s own client. */
function mass(
  { manager, specialist, client, admin }: Readonly<Record<string, string>>,
  ids: Readonly<Record<string, string>>,
): HttpRow[] {
  const put = (token = '', path: string, body: object, must = '400'): HttpRow => [
    `a change to ${JSON.stringify(body).slice(0, 60)} in ${path.split('/')[2] ?? ''}`,
    MASS,
    must,
    `PUT ${path}/${ids[path] ?? ''}`,
    { token, body },
  ];
  const USERS = '/api/users';
  const id = ids['/api/reclamations'];
  const changes = (tries: string, changes: readonly object[]): HttpRow => [
    ...([tries, MASS, '400', 'POST /api/reclamations/changes'] as const),
    { token: manager ?? '', body: { changes } },
  ];
  const createAdmin = (tries: string, token = ''): HttpRow => [
    ...([tries, MASS, '403', 'POST /api/users'] as const),
    { token, body: { email: 'root@b.example', name: 'Root', role: 'ADMIN', client_access: [] } },
  ];
  return [
    ...[
      ...words('client_access is_active owner version xmin ctid tableoid deleted_at tenant_id role password_hash'),
      ...['__proto__x', 'toString', 'hasOwnProperty', 'client_id '],
    ].map((field) => put(manager, '/api/sites', { [field]: 'x' })),
    ...['number', 'file_path', 'from_status', 'decided_by', 'subject'].map((field) =>
      put(manager, '/api/reclamations', { [field]: 'x' }),
    ),
    put(manager, '/api/reclamations', { status: 'PAID' }, '400|409'),
    put(manager, '/api/reclamations', { status: 'GRANTED' }, '400|409'),
    put(manager, '/api/reclamations', { status: 'draft' }, '400'),
    put(manager, '/api/reclamations', { granted_amount: 1e9 }, '400'),
    put(manager, '/api/invoices', { number: 'F-2026-0001' }, '200|400|409'),
    changes('a change of an unknown field among several changes', [{ id, password_hash: 'x' }]),
    changes(
      '501 changes in one request',
      Array.from({ length: 501 }, () => ({ id: crypto.randomUUID(), tax_year: 2020 })),
    ),
    changes('two changes of the same claim in one request', [
      { id, tax_year: 2020 },
      { id, tax_year: 2021 },
    ]),
    put(client, '/api/reclamations', { amount: 1 }, '403'),
    put(client, '/api/sites', { site_name: 'x' }, '403'),
    put(specialist, '/api/invoices', { amount_excl_tax: 1 }, '403'),
    put(manager, USERS, { role: 'ADMIN' }, '403'),
    put(specialist, USERS, { role: 'ADMIN' }, '403'),
    put(admin, USERS, { password_hash: 'x' }),
    put(admin, USERS, { subject: 'x' }),
    put(admin, USERS, { access_changed_at: '2000-01-01T00:00:00Z' }),
    put(admin, USERS, { role: 'ADMIN', client_access: [] }, '403'),
    put(admin, USERS, { client_access: ['*'] }),
    put(admin, USERS, { client_access: null }),
    createAdmin('an administrator of one client creates an administrator of every client', admin),
    createAdmin('an account manager creates an administrator', manager),
  ];
}

/** Invalid values of a claim by field: values of a wrong type, out of range, or in a wrong notation. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  amount: [
    ...[-1, -0.01, 0.001, 1e8, 1e21, null, true, [], {}, [1], ' 1', '1 ', ''],
    ...words('1e3 0x10 1,5 1.999 NaN Infinity ١٢'),
    ...['9'.repeat(5_000), `1.${'0'.repeat(90_000)}1`],
  ],
  claim_type: ['tf', 'TF ', 'TFX', 'TF\0', '', null, 1, ['TF'], { TF: 1 }, 'ТF', 'CFE,TF'],
  collection_date: [
    ...words('2026-02-30 0000-01-01 10000-01-01 -2026-01-01 01/02/2026 2026-1-1 infinity now epoch 20260101'),
    ...['2026-01-01T00:00:00Z', '', 0, true, [], {}],
  ],
  tax_year: [0, -1, 1899, 2201, 2026.5, '2026', 1e10, true, [], {}],
  commune_code: ['', '7505', '750566', '2C004', '2a004', '٧٥٠٥٦', '7505 ', '75056\0', 75056, [], {}],
  grounds: ['a'.repeat(10_001), 'nul\0', '\ud800', 1, true, [], {}],
  site_id: ['', 'x', 1, null, [], {}, '00000000-0000-0000-0000-00000000000g'],
};

/**
 * Texts that are code to a database, an HTML page, a spreadsheet or a terminal. The service must treat them as plain
 * text.
 */
const WORDS = [
  "'; drop table public.clients; --",
  "' or '1'='1",
  '$1',
  "\\'; --",
  '{{7*7}}',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  "=cmd|' /C calc'!A0",
  '../../etc/passwd',
  'a\r\nSet-Cookie: x=1',
  '\u202eevil',
  '\u0000'.slice(1) + 'x\u001b[2J',
  '\ufeff',
  '💩'.repeat(127),
  'null',
  'NULL',
  "E'\\x00'",
  '||pg_sleep(5)||',
];

export const bodies: Area = {
  name: 'bodies',
  attacks: (world) => {
    const { tokens, mine } = world;
    const { manager: token } = tokens;
    const headers = { 'content-type': 'application/json' };
    const lines = ['POST /api/sites', `PUT /api/reclamations/${mine.reclamations}`];
    const ids = {
      '/api/sites': mine.sites,
      '/api/reclamations': mine.reclamations,
      '/api/invoices': mine.factures,
      '/api/users': mine.users,
    };
    const valid = { client_id: mine.clients, site_id: mine.sites, claim_type: 'TF', amount: 1 };
    return overHttp(world, [
      ...texts().flatMap(([tries, source, must, body]): HttpRow[] => [
        ...lines.map((line): HttpRow => [tries, source, must, line, { token, headers, body }]),
        [`a login with ${tries}`, source, must === '413' ? '413' : '400', 'POST /api/auth/login', { headers, body }],
        [`${tries}, without a token`, 'API2:2023', '401', 'POST /api/sites', { headers, body }],
      ]),
      ...types(token),
      ...mass({ ...tokens }, ids),
      ...Object.entries(VALUES).flatMap(([field, values]) =>
        values.map(
          (value): HttpRow => [
            `a claim with the ${field} ${JSON.stringify(value).slice(0, 30)}`,
            TYPES,
            '400',
            'POST /api/reclamations',
            { token, body: { ...valid, [field]: value } },
          ],
        ),
      ),
      ...WORDS.flatMap((word): HttpRow[] => [
        [
          `a site called ${JSON.stringify(word).slice(0, 30)}`,
          INJECTION,
          '201|400',
          'POST /api/sites',
          { token, body: { client_id: mine.clients, site_name: word } },
        ],
        [
          `a search for ${JSON.stringify(word).slice(0, 30)}`,
          INJECTION,
          '200|400',
          `GET /api/sites?q=${encodeURIComponent(word)}`,
          { token },
        ],
        [
          `a login with ${JSON.stringify(word).slice(0, 30)}`,
          INJECTION,
          '401',
          'POST /api/auth/login',
          { body: { token: word } },
        ],
      ]),
      [
        'a GET request with a body',
        'RFC 9110, 9.3.1',
        '200',
        'GET /api/sites',
        { token, headers: { ...headers, 'content-length': 15 }, body: '{"client_id":1}' },
      ],
      [
        'a deletion of a foreign site with a body',
        'API1:2023',
        '403',
        `DELETE /api/sites/${world.foreign.sites}`,
        { token, headers: { ...headers, 'content-length': 2 }, body: '{}' },
      ],
    ]);
  },
};
