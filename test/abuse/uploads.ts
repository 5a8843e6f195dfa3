import { gzipSync } from 'node:zlib';
import { docx, gif, jpeg, pdf, png, xlsx, zip } from '../support/samples.ts';
import { FORM, form, frame } from '../support/upload.ts';
import type { Part } from '../support/upload.ts';
import { alike } from './attack.ts';
import type { Area } from './attack.ts';
import { overHttp } from './over-http.ts';
import type { HttpRow } from './over-http.ts';
import { MAX_DOCUMENT } from './world.ts';

/*
 * Uploads: names that are paths, contents that are something else than they say, forms that nobody would send; and
 * downloads in pieces. Seen red where refuseName of src/resources/documents.ts says nothing.
 */

const FORMS = 'RFC 7578';
const FILES = 'ASVS 5, 5.2';
const BUDGET = 'API4:2023';

/** A name is told again as it came, and leads nowhere: the content lies under a name of our own. */
const NAMES = [
  '../../etc/passwd.txt',
  '/etc/passwd.txt',
  '..\\..\\boot.txt',
  'C:\\x.txt',
  '\\\\host\\share\\x.txt',
  '....//x.txt',
  '%2e%2e%2fx.txt',
  'x.php.txt',
  '.htaccess.txt',
  'con.txt',
  'x.txt ',
  "x';drop table.txt",
  '<script>.txt',
  '\u202egnp.txt',
  '-rf.txt',
  '~.txt',
  'a.txt;b',
  '$(id).txt',
  '`id`.txt',
  '=cmd.csv',
  'é\u0301.txt',
  `${'a'.repeat(251)}.txt`,
];
const NO_NAMES = [
  '',
  ' ',
  '..',
  '.',
  '/',
  '\\',
  'a\tb.txt',
  'a\u0000b.txt',
  'a\u001bb.txt',
  'a\u007f.txt',
  'a\rb.txt',
  'a\nb.txt',
  `${'a'.repeat(256)}.txt`,
  '\ufffd.txt',
];

/** What says that it is text or a picture, and is not; or is, and runs somewhere else. */
const CONTENTS: readonly (readonly [tries: string, must: string, part: Part])[] = [
  ['a page', '415', { name: 'x.html', type: 'text/html', bytes: '<script>alert(1)</script>' }],
  [
    'a page that says it is a PDF',
    '415',
    { name: 'x.pdf', type: 'application/pdf', bytes: '<script>alert(1)</script>' },
  ],
  [
    'a picture of vectors',
    '415',
    {
      name: 'x.svg',
      type: 'image/svg+xml',
      bytes: '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    },
  ],
  ['a script', '415', { name: 'x.js', type: 'text/javascript', bytes: 'alert(1)' }],
  ['a program of a shell', '415', { name: 'x.sh', type: 'application/x-sh', bytes: '#!/bin/sh\nid\n' }],
  ['a program of Linux', '415', { name: 'x.pdf', bytes: Buffer.from('7f454c4602010100', 'hex') }],
  [
    'a program of Windows',
    '415',
    { name: 'x.txt', type: 'text/plain', bytes: Buffer.concat([Buffer.from('MZ\x90\0'), Buffer.alloc(200)]) },
  ],
  [
    'XML that asks for a file',
    '415',
    {
      name: 'x.xml',
      type: 'text/xml',
      bytes: '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
    },
  ],
  ['an archive', '415', { name: 'x.zip', type: 'application/zip', bytes: zip({ '../../x': 'x' }) }],
  [
    'an archive of a megabyte of zeros',
    '415',
    { name: 'x.gz', type: 'application/gzip', bytes: gzipSync(Buffer.alloc(100_000_000)) },
  ],
  ['an archive that says it is a document', '415', { name: 'x.docx', bytes: zip({ 'x.vbs': 'x' }) }],
  ['a document whose types are a page', '415', { name: 'x.docx', bytes: zip({ '[Content_Types].xml': '<html/>' }) }],
  [
    'ten thousand entries',
    '415',
    {
      name: 'x.docx',
      bytes: zip(Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`f${at}`, '']))),
    },
  ],
  ['text with control characters', '415', { name: 'x.txt', type: 'text/plain', bytes: 'a\x1b[2Jb' }],
  ['text in Latin-1', '415', { name: 'x.txt', type: 'text/plain', bytes: Buffer.from('\xe9t\xe9', 'latin1') }],
  ['text in UTF-16', '415', { name: 'x.txt', type: 'text/plain', bytes: Buffer.from('texte', 'utf16le') }],
  ['text with a NUL', '415', { name: 'x.txt', type: 'text/plain', bytes: 'a\0b' }],
  ['a page that is called a text', '201', { name: 'x.txt', type: 'text/plain', bytes: '<script>alert(1)</script>' }],
  ['a table with a formula', '201', { name: 'x.csv', type: 'text/csv', bytes: "=cmd|' /C calc'!A0\n" }],
  [
    'a PDF that is a page as well',
    '201',
    {
      name: 'x.html',
      type: 'text/html',
      bytes: Buffer.concat([pdf, Buffer.from('<script>alert(1)</script>')]),
    },
  ],
  [
    'a picture that is a script as well',
    '201',
    { name: 'x.js', type: 'text/javascript', bytes: Buffer.concat([gif, Buffer.from('/*\n*/=1;alert(1)')]) },
  ],
  [
    'a picture with a page after it',
    '201',
    { name: 'x.png', bytes: Buffer.concat([png, Buffer.from('<?php system($_GET[0]); ?>')]) },
  ],
  ['a picture that is not whole', '201', { name: 'x.jpg', bytes: jpeg.subarray(0, 12) }],
  ['nothing', '400', { name: 'x.txt', type: 'text/plain', bytes: '' }],
  ['a byte', '415', { name: 'x.pdf', bytes: '%' }],
  ['an office file', '201', { name: 'x', type: '', bytes: docx }],
  ['a table of an office', '201', { name: '', bytes: xlsx }],
];

const LINE = '\r\n';
const part = (head: string, body = 'x'): string => `--${BOUNDARY}${LINE}${head}${LINE}${LINE}${body}${LINE}`;
const BOUNDARY = FORM.split('=')[1] ?? '';
const END = `--${BOUNDARY}--${LINE}`;
const FILE = 'Content-Disposition: form-data; name="file"; filename="x.txt"';
const TEXT = `${FILE}${LINE}Content-Type: text/plain`;

/** Forms, byte by byte. */
const SHAPES: readonly (readonly [tries: string, must: string, body: string | Buffer, type?: string])[] = [
  ['a form with nothing in it', '400', END],
  ['no form at all', '400', ''],
  ['only what stands before a form', '400', 'preamble'],
  ['a form that does not end', '400', part(TEXT)],
  ['a file that does not end', '400', `--${BOUNDARY}${LINE}${TEXT}${LINE}${LINE}x`],
  ['a head that does not end', '400', `--${BOUNDARY}${LINE}${TEXT}`],
  ['a boundary that is not the one said', '400', part(TEXT).replaceAll(BOUNDARY, 'other') + END],
  ['two files', '400', part(TEXT) + part(TEXT) + END],
  ['the same field twice, once a text', '400', part('Content-Disposition: form-data; name="file"') + part(TEXT) + END],
  ['another field', '400', part('Content-Disposition: form-data; name="client_id"') + part(TEXT) + END],
  ['another name for the field', '400', part(TEXT.replace('"file"', '"FILE"')) + END],
  ['a field called __proto__', '400', part(TEXT.replace('"file"', '"__proto__"')) + END],
  ['a field without a name', '400', part('Content-Disposition: form-data; filename="x.txt"') + END],
  ['no file name', '400', part('Content-Disposition: form-data; name="file"') + END],
  ['no disposition', '400', part('Content-Type: text/plain') + END],
  ['another disposition', '400', part(TEXT.replace('form-data', 'attachment')) + END],
  [
    'a file of files',
    '400|415',
    part(
      'Content-Disposition: form-data; name="file"' + LINE + 'Content-Type: multipart/mixed; boundary=in',
      '--in\r\n\r\nx\r\n--in--',
    ) + END,
  ],
  ['two names', '201|400', part(`${FILE}; filename="y.txt"${LINE}Content-Type: text/plain`) + END],
  [
    'an encoded name beside a plain one',
    '201|400',
    part(`${FILE}; filename*=UTF-8''..%2f..%2fx.txt${LINE}Content-Type: text/plain`) + END,
  ],
  [
    'an encoded name in a strange code',
    '201|400',
    part(`Content-Disposition: form-data; name="file"; filename*=utf-7''x.txt${LINE}Content-Type: text/plain`) + END,
  ],
  ['a name that does not end', '400', part(TEXT.replace('"x.txt"', '"x.txt')) + END],
  ['a coding of old', '201|400|415', part(`${TEXT}${LINE}Content-Transfer-Encoding: base64`, 'PHNjcmlwdD4=') + END],
  ['a head of 100,000 characters', '400|413', part(`${TEXT}${LINE}X-One: ${'a'.repeat(100_000)}`) + END],
  ['five thousand heads', '400|413', part(`${TEXT}${LINE}${`X: 1${LINE}`.repeat(5_000)}X: 2`) + END],
  ['a head folded', '201|400', part(`${TEXT}${LINE}X-One: 1${LINE} 2`) + END],
  ['a head with a NUL', '400|201', part(`${TEXT}${LINE}X-One: \0`) + END],
  ['a hundred parts', '400', part('Content-Disposition: form-data; name="a"').repeat(100) + END],
  ['two thousand parts', '400|413', part('X: 1').repeat(2_000) + END],
  ['50,000 dashes', '400', '-'.repeat(50_000)],
  ['boundaries and nothing else', '400', `--${BOUNDARY}${LINE}`.repeat(1_000)],
  ['what nearly is the boundary', '201|400|413', part(TEXT, `${LINE}--${BOUNDARY.slice(0, -1)}`.repeat(2_000)) + END],
  ['something after the end', '201|400', part(TEXT) + END + part(TEXT)],
  ...alike(['400', END], {
    'no boundary': 'multipart/form-data',
    'an empty boundary': 'multipart/form-data; boundary=',
    'a boundary of 71 characters': `multipart/form-data; boundary=${'a'.repeat(71)}`,
    'a boundary of signs': 'multipart/form-data; boundary="(.*)+$"',
    'two boundaries': `multipart/form-data; boundary=x; boundary=${BOUNDARY}`,
  }),
  ['another kind of parts', '415', part(TEXT) + END, `multipart/mixed; boundary=${BOUNDARY}`],
  ['JSON for a form', '415', '{"file":"x"}', 'application/json'],
  ['a form of old', '415', 'file=x', 'application/x-www-form-urlencoded'],
  ['a file as the body', '415', pdf, 'application/pdf'],
  ['no type', '415', part(TEXT) + END, ''],
  [
    'a file one byte too large',
    '413',
    form({ name: 'x.txt', type: 'text/plain', bytes: Buffer.alloc(MAX_DOCUMENT + 1, 97) }),
  ],
  [
    'a file twenty times too large',
    '413',
    form({ name: 'x.txt', type: 'text/plain', bytes: Buffer.alloc(20 * MAX_DOCUMENT, 97) }),
  ],
];

const RANGES = [
  'bytes=0-0',
  'bytes=-1',
  'bytes=5-',
  'bytes=9-1',
  'bytes=-0',
  'bytes=99999999-',
  'bytes=0-99999999999999999999',
  'bytes=0-0,2-2',
  `bytes=${'0-,'.repeat(300)}0-`,
  'bytes=a-b',
  'bytes=--1',
  'bytes',
  'octets=0-1',
  'bytes=0-0;1-1',
  'bytes = 0-1',
  'bytes=0x0-0x1',
  'bytes=1e1-',
  '-1',
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
      ...NAMES.map((name) => send(`a file called ${name.slice(0, 30)}`, FILES, '201|400', text(name))),
      ...NO_NAMES.map((name) =>
        send(
          `a file called ${JSON.stringify(name).slice(0, 30)}`,
          FILES,
          '400',
          Buffer.from(text('NAME').toString().replace('NAME', name)),
        ),
      ),
      send(
        'a name that is no UTF-8',
        FILES,
        '400',
        Buffer.from(text('NAME').toString('latin1').replace('NAME', '\xe9.txt'), 'latin1'),
      ),
      ...CONTENTS.map(([tries, must, one]) => send(tries, FILES, one.name === '' ? '400' : must, form(one))),
      ...SHAPES.map(([tries, must, body, type]) => send(tries, must === '413' ? BUDGET : FORMS, must, body, type)),
      send('a head and nothing else', FORMS, '400', frame().head),
      refused('to a claim of others', '403', `POST /api/reclamations/${foreign.reclamations}/documents`, token),
      refused('to a claim that nobody has', '404', `POST /api/reclamations/${crypto.randomUUID()}/documents`, token),
      refused('without a token', '401', path, undefined),
      refused('without a client', '403', path, tokens.nobody),
      refused(
        '20 MB that are said and not sent, to a claim of others',
        '403',
        `POST /api/reclamations/${foreign.reclamations}/documents`,
        token,
        large,
      ),
      refused('20 MB that are said and not sent', '413', path, token, large),
      ...alike(['API1:2023', '403'], {
        'the content of others': [`GET /api/documents/${foreign.documents}/content`, { token }],
        'the size of others': [`HEAD /api/documents/${foreign.documents}/content`, { token }],
        'a byte of others': [
          `GET /api/documents/${foreign.documents}/content`,
          { token, headers: { range: 'bytes=0-0' } },
        ],
        'others’ content by what one knows of it': [
          `GET /api/documents/${foreign.documents}/content`,
          { token, headers: { 'if-none-match': '*' } },
        ],
        'to delete a document of others': [`DELETE /api/documents/${foreign.documents}`, { token: tokens.manager }],
      }),
      ['to delete as a client', 'API5:2023', '403', `DELETE /api/documents/${mine.documents}`, { token }],
      [
        'to choose a path',
        'API3:2023',
        '400',
        `PUT /api/documents/${mine.documents}`,
        { token: tokens.manager, body: { file_path: '../x' } },
      ],
      ['one’s own content', 'RFC 9110, 14', '200', content, { token }],
      ...RANGES.map(
        (range): HttpRow => [
          `the range ${range.slice(0, 30)}`,
          'RFC 9110, 14.2',
          '200|206|416|431',
          content,
          { token, headers: { range } },
        ],
      ),
    ]);
  },
};
