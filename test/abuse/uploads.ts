import { gzipSync } from 'node:zlib';
import { gif, jpeg, pdf, zip } from '../support/samples.ts';
import { FORM, form, frame } from '../support/upload.ts';
import type { Part } from '../support/upload.ts';
import { words } from '../support/words.ts';
import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import { MAX_DOCUMENT } from './world.ts';

/*
 * Attacks by uploads: a file’s name is a path, its content has another type than it declares, or the form is malformed.
 * Others download ranges of bytes. To check these attacks, their author once let refuseName of
 * src/resources/documents.ts accept every name: some attacks then succeeded.
 */

const FORMS = 'RFC 7578';
const FILES = 'ASVS 5, 5.2';
const BUDGET = 'API4:2023';

/**
 * File names that would be dangerous as paths. The service is allowed to store them, because it uses them only as text.
 */
const NAMES = [
  ...words(String.raw`
    ../../etc/passwd.txt /etc/passwd.txt ..\..\boot.txt C:\x.txt \\host\share\x.txt ....//x.txt %2e%2e%2fx.txt x.php.txt
    .htaccess.txt con.txt <script>.txt -rf.txt ~.txt a.txt;b $(id).txt =cmd.csv
  `),
  ...['x.txt ', "x';drop table.txt", '\u202egnp.txt', '`id`.txt', 'é\u0301.txt', `${'a'.repeat(251)}.txt`],
];
const NO_NAMES = [
  ...['', ' ', '..', '.', '/', '\\', 'a\tb.txt', 'a\u0000b.txt', 'a\u001bb.txt', 'a\u007f.txt', 'a\rb.txt', 'a\nb.txt'],
  ...[`${'a'.repeat(256)}.txt`, '\ufffd.txt'],
];

/** Files with a wrong declared type, and files that another program could execute, each with the expected status. */
const CONTENTS: readonly (readonly [tries: string, must: string, part: Part])[] = [
  ['an HTML page', '415', { name: 'x.html', type: 'text/html', bytes: '<script>alert(1)</script>' }],
  ['a JavaScript file', '415', { name: 'x.js', type: 'text/javascript', bytes: 'alert(1)' }],
  ['a shell script', '415', { name: 'x.sh', type: 'application/x-sh', bytes: '#!/bin/sh\nid\n' }],
  ['a Linux executable named x.pdf', '415', { name: 'x.pdf', bytes: Buffer.from('7f454c4602010100', 'hex') }],
  [
    '100 MB of zeros in gzip',
    '415',
    { name: 'x.gz', type: 'application/gzip', bytes: gzipSync(Buffer.alloc(100_000_000)) },
  ],
  [
    'a DOCX file whose content types are HTML',
    '415',
    { name: 'x.docx', bytes: zip({ '[Content_Types].xml': '<html/>' }) },
  ],
  [
    'a DOCX file with 8,000 entries',
    '415',
    {
      name: 'x.docx',
      bytes: zip(Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`f${at}`, '']))),
    },
  ],
  ['an HTML page declared as text', '201', { name: 'x.txt', type: 'text/plain', bytes: '<script>alert(1)</script>' }],
  ['a CSV file with a formula', '201', { name: 'x.csv', type: 'text/csv', bytes: "=cmd|' /C calc'!A0\n" }],
  [
    'a GIF followed by JavaScript',
    '201',
    { name: 'x.js', type: 'text/javascript', bytes: Buffer.concat([gif, Buffer.from('/*\n*/=1;alert(1)')]) },
  ],
  ['a truncated JPEG', '201', { name: 'x.jpg', bytes: jpeg.subarray(0, 12) }],
  ['a PDF of one byte', '415', { name: 'x.pdf', bytes: '%' }],
];

const LINE = '\r\n';
const part = (head: string, body = 'x'): string => `--${BOUNDARY}${LINE}${head}${LINE}${LINE}${body}${LINE}`;
const BOUNDARY = FORM.split('=')[1] ?? '';
const END = `--${BOUNDARY}--${LINE}`;
const FILE = 'Content-Disposition: form-data; name="file"; filename="x.txt"';
const TEXT = `${FILE}${LINE}Content-Type: text/plain`;

/** Malformed ways of uploading one file, each with the expected status. */
const SHAPES: readonly (readonly [tries: string, must: string, body: string | Buffer, type?: string])[] = [
  ['a form without parts', '400', END],
  ['an empty body', '400', ''],
  ['only a preamble', '400', 'preamble'],
  ['a form without its last boundary', '400', part(TEXT)],
  ['a file without a boundary after it', '400', `--${BOUNDARY}${LINE}${TEXT}${LINE}${LINE}x`],
  ['a part that ends within its headers', '400', `--${BOUNDARY}${LINE}${TEXT}`],
  ['another boundary than the declared one', '400', part(TEXT).replaceAll(BOUNDARY, 'other') + END],
  ['two files', '400', part(TEXT) + part(TEXT) + END],
  [
    'the field of the file twice, first as text',
    '400',
    part('Content-Disposition: form-data; name="file"') + part(TEXT) + END,
  ],
  ['an unknown kind', '400', part('Content-Disposition: form-data; name="kind"', 'PAID') + part(TEXT) + END],
  [
    'an unknown field before the file',
    '400',
    part('Content-Disposition: form-data; name="client_id"') + part(TEXT) + END,
  ],
  ['the field name in capitals', '400', part(TEXT.replace('"file"', '"FILE"')) + END],
  ['a field called __proto__', '400', part(TEXT.replace('"file"', '"__proto__"')) + END],
  ['a field without a name', '400', part('Content-Disposition: form-data; filename="x.txt"') + END],
  ['a file without a name', '400', part('Content-Disposition: form-data; name="file"') + END],
  ['a part without Content-Disposition', '400', part('Content-Type: text/plain') + END],
  ['Content-Disposition: attachment', '400', part(TEXT.replace('form-data', 'attachment')) + END],
  [
    'nested multipart',
    '400|415',
    part(
      'Content-Disposition: form-data; name="file"' + LINE + 'Content-Type: multipart/mixed; boundary=in',
      '--in\r\n\r\nx\r\n--in--',
    ) + END,
  ],
  ['two file names', '201|400', part(`${FILE}; filename="y.txt"${LINE}Content-Type: text/plain`) + END],
  [
    'an encoded file name beside a plain one',
    '201|400',
    part(`${FILE}; filename*=UTF-8''..%2f..%2fx.txt${LINE}Content-Type: text/plain`) + END,
  ],
  [
    'a file name in UTF-7',
    '201|400',
    part(`Content-Disposition: form-data; name="file"; filename*=utf-7''x.txt${LINE}Content-Type: text/plain`) + END,
  ],
  ['a file name without a closing quote', '400', part(TEXT.replace('"x.txt"', '"x.txt')) + END],
  [
    'Content-Transfer-Encoding: base64',
    '201|400|415',
    part(`${TEXT}${LINE}Content-Transfer-Encoding: base64`, 'PHNjcmlwdD4=') + END,
  ],
  ['a part header of 100,000 characters', '400|413', part(`${TEXT}${LINE}X-One: ${'a'.repeat(100_000)}`) + END],
  ['5,000 part headers', '400|413', part(`${TEXT}${LINE}${`X: 1${LINE}`.repeat(5_000)}X: 2`) + END],
  ['a folded part header', '201|400', part(`${TEXT}${LINE}X-One: 1${LINE} 2`) + END],
  ['a part header with a NUL character', '400|201', part(`${TEXT}${LINE}X-One: \0`) + END],
  ['a hundred parts', '400', part('Content-Disposition: form-data; name="a"').repeat(100) + END],
  ['two thousand parts', '400|413', part('X: 1').repeat(2_000) + END],
  ['50,000 dashes', '400', '-'.repeat(50_000)],
  ['1,000 boundaries without parts', '400', `--${BOUNDARY}${LINE}`.repeat(1_000)],
  [
    '2,000 lines that almost equal the boundary',
    '201|400|413',
    part(TEXT, `${LINE}--${BOUNDARY.slice(0, -1)}`.repeat(2_000)) + END,
  ],
  ['a part after the last boundary', '201|400', part(TEXT) + END + part(TEXT)],
  ...alike(['400', END], {
    'no boundary': 'multipart/form-data',
    'an empty boundary': 'multipart/form-data; boundary=',
    'a boundary of 71 characters': `multipart/form-data; boundary=${'a'.repeat(71)}`,
    'a boundary that is a regular expression': 'multipart/form-data; boundary="(.*)+$"',
    'two boundaries': `multipart/form-data; boundary=x; boundary=${BOUNDARY}`,
  }),
  ['multipart/mixed', '415', part(TEXT) + END, `multipart/mixed; boundary=${BOUNDARY}`],
  ['JSON instead of a form', '415', '{"file":"x"}', 'application/json'],
  ['a URL-encoded form', '415', 'file=x', 'application/x-www-form-urlencoded'],
  ['a PDF as body without a form', '415', pdf, 'application/pdf'],
  ['a form without a content type', '415', part(TEXT) + END, ''],
  [
    'a file twenty times too large',
    '413',
    form({ name: 'x.txt', type: 'text/plain', bytes: Buffer.alloc(20 * MAX_DOCUMENT, 97) }),
  ],
];

const RANGES = [
  ...words(`
    bytes=0-0 bytes=-1 bytes=5- bytes=9-1 bytes=-0 bytes=99999999- bytes=0-99999999999999999999 bytes=0-0,2-2 bytes=a-b
    bytes=--1 bytes octets=0-1 bytes=0-0;1-1 bytes=0x0-0x1 bytes=1e1- -1
  `),
  ...[`bytes=${'0-,'.repeat(300)}0-`, 'bytes = 0-1'],
];

export const uploads: Area = {
  name: 'uploads',
  attacks: (world) => {
    const { tokens, mine, foreign } = world;
    const { client: token } = tokens;
    const path = `POST /api/reclamations/${mine.reclamations}/documents`;
    const send = (tries: string, source: string, must: string, body: string | Buffer, type = FORM): HttpRow => [
      tries,
      source,
      must,
      path,
      { token, body, headers: { 'content-type': type, 'content-length': Buffer.byteLength(body) } },
    ];
    const text = (name: string): Buffer => form({ name, type: 'text/plain', bytes: 'x' });
    const whole = text('x.txt');
    const sent = { 'content-type': FORM, 'content-length': whole.length };
    const large = { 'content-type': FORM, 'content-length': 20 * MAX_DOCUMENT };
    const refused = (
      tries: string,
      must: string,
      line: string,
      by: string | undefined,
      headers: typeof sent = sent,
    ): HttpRow => [tries, 'API1:2023', must, line, { ...(by !== undefined && { token: by }), headers, body: whole }];
    const content = `GET /api/documents/${mine.documents}/content`;
    return overHttp(world, [
      ...NAMES.map((name) => send(`an upload of a file called ${name.slice(0, 30)}`, FILES, '201|400', text(name))),
      ...NO_NAMES.map((name) =>
        send(
          `an upload of a file called ${JSON.stringify(name).slice(0, 30)}`,
          FILES,
          '400',
          Buffer.from(text('NAME').toString().replace('NAME', name)),
        ),
      ),
      send(
        'a file name in Latin-1',
        FILES,
        '400',
        Buffer.from(text('NAME').toString('latin1').replace('NAME', '\xe9.txt'), 'latin1'),
      ),
      ...CONTENTS.map(([tries, must, one]) => send(tries, FILES, must, form(one))),
      ...SHAPES.map(([tries, must, body, type]) => send(tries, must === '413' ? BUDGET : FORMS, must, body, type)),
      send('only the headers of a part', FORMS, '400', frame().head),
      refused('an upload to a foreign claim', '403', `POST /api/reclamations/${foreign.reclamations}/documents`, token),
      refused('an upload to a missing claim', '404', `POST /api/reclamations/${crypto.randomUUID()}/documents`, token),
      refused('an upload without a token', '401', path, undefined),
      refused('an upload by a user without clients', '403', path, tokens.nobody),
      refused(
        'an upload to a foreign claim that declares 20 MB',
        '403',
        `POST /api/reclamations/${foreign.reclamations}/documents`,
        token,
        large,
      ),
      refused('an upload that declares 20 MB', '413', path, token, large),
      ...alike(['API1:2023', '403'], {
        'the content of a foreign document': [`GET /api/documents/${foreign.documents}/content`, { token }],
        'the size of a foreign document': [`HEAD /api/documents/${foreign.documents}/content`, { token }],
        'one byte of a foreign document': [
          `GET /api/documents/${foreign.documents}/content`,
          { token, headers: { range: 'bytes=0-0' } },
        ],
        'the content of a foreign document with If-None-Match: *': [
          `GET /api/documents/${foreign.documents}/content`,
          { token, headers: { 'if-none-match': '*' } },
        ],
        'an account manager deletes a foreign document': [
          `DELETE /api/documents/${foreign.documents}`,
          { token: tokens.manager },
        ],
      }),
      ['a client user deletes a document', 'API5:2023', '403', `DELETE /api/documents/${mine.documents}`, { token }],
      [
        'an account manager changes file_path, which a change ignores',
        'API3:2023',
        '200',
        `PUT /api/documents/${mine.documents}`,
        { token: tokens.manager, body: { file_path: '../x' } },
      ],
      ['the content of a document of the own client', 'RFC 9110, 14', '200', content, { token }],
      ...RANGES.map(
        (range): HttpRow => [
          `a document with the range ${range.slice(0, 30)}`,
          'RFC 9110, 14.2',
          '200|206|416|431',
          content,
          { token, headers: { range } },
        ],
      ),
    ]);
  },
};
