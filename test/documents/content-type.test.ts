import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import { detectContent, isShownByBrowsers } from '../../src/documents/content-type.ts';
import { rule } from '../../src/problems.ts';
import * as sample from '../support/samples.ts';
import { folderForSuite } from '../support/suite.ts';

const folder = await folderForSuite();

async function contentOf(bytes: Buffer | string, filename = 'x', declaredType = 'application/octet-stream') {
  const file = join(folder, 'content');
  await writeFile(file, bytes);
  return detectContent(file, { filename, declaredType });
}

async function typeOf(...file: Parameters<typeof contentOf>) {
  return (await contentOf(...file)).type;
}

const OOXML = 'application/vnd.openxmlformats-officedocument';

/** The content type that a browser declares for a file, by the extension of its name. */
const DECLARED: Readonly<Record<string, string>> = {
  ...{ pdf: 'application/pdf', html: 'text/html', svg: 'image/svg+xml', txt: 'text/plain', csv: 'text/csv' },
  ...{ doc: 'application/msword', xls: 'application/vnd.ms-excel', docx: `${OOXML}.wordprocessingml.document` },
};

test.each([
  ['application/pdf', sample.pdf],
  ['image/png', sample.png],
  ['image/jpeg', sample.jpeg],
  ['image/gif', sample.gif],
  ['image/webp', sample.webp],
  ['image/tiff', sample.tiff],
  ['image/heic', sample.heic],
  ['image/heif', sample.heif],
  [`${OOXML}.wordprocessingml.document`, sample.docx],
  [`${OOXML}.spreadsheetml.sheet`, sample.xlsx],
  [`${OOXML}.presentationml.presentation`, sample.pptx],
  ['application/vnd.oasis.opendocument.text', sample.odt],
  ['application/vnd.oasis.opendocument.spreadsheet', sample.ods],
  ['application/msword', sample.doc],
  ['application/vnd.ms-excel', sample.xls],
])('an upload is recognised as %s by its bytes, whatever its name and declared type', async (type, bytes) => {
  expect(await typeOf(bytes)).toBe(type);
  expect(await typeOf(bytes, 'lettre.exe', 'application/x-msdownload')).toBe(type);
  expect(await typeOf(bytes, 'table.csv', 'text/csv')).toBe(type);
});

test('an upload of a PDF in ASCII that is declared as text is recognised as a PDF', async () => {
  expect(await typeOf('%PDF-1.4\n1 0 obj\nendobj\n%%EOF\n', 'x.txt', 'text/plain')).toBe('application/pdf');
});

test.each([
  ['text/plain', 'note.txt', 'application/octet-stream'],
  ['text/plain', 'NOTE.TXT', 'application/pdf'],
  ['text/plain', 'note', 'text/plain'],
  ['text/csv', 'relevé.csv', 'application/vnd.ms-excel'],
  ['text/csv', 'relevé.CSV', 'text/plain'],
  ['text/csv', 'relevé', 'text/csv'],
])(
  'an upload is recognised as %s if its bytes are text, its name is %s and its declared type is %s',
  async (type, filename, declared) => {
    expect(await typeOf('local;surface\r\nDépôt\t;12,5\f\n', filename, declared)).toBe(type);
  },
);

test.each(['GIF89a;1\n', 'BM;W\n', 'MZ;1\n', '\ufeffnom;é\n'])(
  'an upload of a CSV file is recognised although its text begins with %j',
  async (text) => {
    expect(await typeOf(text, 'x.csv')).toBe('text/csv');
  },
);

test('an upload of a text is recognised although one of its characters lies across two reads of the file', async () => {
  expect(await typeOf(`${'x'.repeat(65_535)}é${'x'.repeat(100)}`, 'x.txt')).toBe('text/plain');
});

test.each([
  { kind: 'an executable', filename: 'x.pdf', bytes: Buffer.from('4d5a90000300000004000000ffff0000', 'hex') },
  { kind: 'text with the name of a PDF', filename: 'x.pdf', bytes: 'not a PDF' },
  { kind: 'HTML', filename: 'x.html', bytes: '<!doctype html><script>alert(1)</script>' },
  { kind: 'an SVG', filename: 'x.svg', bytes: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
  { kind: 'a ZIP of other files', filename: 'x.docx', bytes: sample.zip({ 'a.exe': 'MZ' }) },
  { kind: 'text with a NUL at its end', filename: 'x.txt', bytes: `${'x'.repeat(100_000)}\0` },
  { kind: 'text with an escape character', filename: 'x.csv', bytes: 'a\x1b[2Jb' },
  { kind: 'text in UTF-16 without a mark', filename: 'x.txt', bytes: Buffer.from('relevé', 'utf16le') },
  { kind: 'text in no encoding', filename: 'x.txt', bytes: Buffer.from([0x61, 0xe9, 0x81]) },
  { kind: 'a mail without any field of a mail', filename: 'x.eml', bytes: 'Note: x\r\n\r\nFrom: a@example.test\r\n' },
  { kind: 'a script', filename: 'x.eml', bytes: '#!/bin/sh\nDate: x\n' },
  { kind: 'an HTML page', filename: 'x.eml', bytes: '<html>\nDate: x\n' },
  { kind: 'bytes behind a mail field', filename: 'x.eml', bytes: 'Date: x\0\n' },
  { kind: 'a PDF header that ends behind 1,024 bytes', filename: 'x.pdf', bytes: `${' '.repeat(1_020)}%PDF-1.4\n` },
  { kind: 'a program with a PDF header', filename: 'x.pdf', bytes: 'MZ\x90\0\x03%PDF-1.4\n' },
  {
    ...{ kind: 'a compound file of another program', filename: 'x.doc' },
    bytes: sample.compound([{ name: 'Root Entry', child: 1 }, { name: 'x' }]),
  },
  {
    ...{ kind: 'a mail with a Word document inside', filename: 'x.doc' },
    bytes: sample.compound([
      { name: 'Root Entry', child: 1 },
      { name: '__substg', child: 2 },
      { name: 'WordDocument' },
    ]),
  },
  {
    ...{ kind: 'a compound file whose directory is a loop', filename: 'x.xls' },
    bytes: sample.compound(
      [
        ...[
          { name: 'Root Entry', child: 1 },
          { name: 'x', right: 1 },
        ],
      ],
      1,
    ),
  },
  { kind: 'the first bytes of a compound file', filename: 'x.doc', bytes: sample.doc.subarray(0, 20) },
])('an upload of $kind with the name $filename has no accepted content type', async ({ filename, bytes }) => {
  const [, extension = ''] = filename.split('.');
  expect(await contentOf(bytes, filename, DECLARED[extension])).toEqual({ broken: rule('file_type') });
});

const PASSWORD = [{ name: 'Root Entry', child: 1 }, { name: 'EncryptionInfo', right: 2 }, { name: 'EncryptedPackage' }];
const NOTE = 'Montant dégrevé : 1 234,50 €';

test.each([
  ['a password', 'password', 'x.xlsx', sample.compound(PASSWORD)],
  ['macros', 'macros', 'x.docm', sample.openXml('word/document.xml', 'application/vnd.ms-word.document.macroEnabled')],
  ['macros', 'macros', 'x.xlsm', sample.openXml('xl/workbook.xml', 'application/vnd.ms-excel.sheet.macroEnabled')],
  ['Windows-1252', 'windows_1252', 'x.txt', Buffer.from(NOTE.replace('€', '\x80'), 'latin1')],
  ['Windows-1252', 'windows_1252', 'x.csv', Buffer.concat([Buffer.alloc(70_000, 'x;'), Buffer.from('\xe9', 'latin1')])],
  ['Windows-1252', 'windows_1252', 'x.txt', Buffer.from([0x61, 0xc3])],
  ['UTF-16', 'utf_16', 'x.txt', Buffer.from(`\ufeff${NOTE}`, 'utf16le')],
  ['UTF-16', 'utf_16', 'x.csv', Buffer.from(`\ufeff${NOTE}`, 'utf16le').swap16()],
] as const)('the refusal of an upload with %s says so (%s, %s)', async (_, word, filename, bytes) => {
  expect(await contentOf(bytes, filename)).toEqual({ broken: rule(`file_type.${word}` as 'file_type') });
});

const MAIL = 'Subject: Avis\r\nFrom: cfe@example.test\r\n\r\n';

test.each([
  ['of nodemailer', await new MailComposer({ from: 'a@example.test', subject: 'Avis', text: NOTE }).compile().build()],
  ['with a body in Latin-1', Buffer.from(`${MAIL}d\xe9gr\xe8vement`, 'latin1')],
  ['with line feeds alone', MAIL.replaceAll('\r', '')],
  ['with a head alone', 'Date: Mon, 2 Nov 2026 10:00:00 +0100'],
  ['with a byte order mark', `\ufeff${MAIL}`],
  ['of a mailbox file', `From - Mon Nov 02 10:00:00 2026\r\nX-Mozilla-Status: 0001\r\n${MAIL}`],
  ['with a PDF in its text', `${MAIL}%PDF-1.4\r\n`],
])('a mail %s is recognised by its head, if its name or its declared type says that it is a mail', async (_, bytes) => {
  expect(await typeOf(bytes, 'Avis.EML')).toBe('message/rfc822');
  expect(await typeOf(bytes, 'avis', 'message/rfc822')).toBe('message/rfc822');
  expect(await typeOf(bytes, 'avis.eml', 'text/plain')).toBe('message/rfc822');
  expect(await typeOf(bytes, 'avis', 'application/octet-stream')).not.toBe('message/rfc822');
});

test.each([
  ['a line feed', '\n'],
  ['a byte order mark', '\ufeff'],
  ['the head of a print job', '\x1b%-12345X@PJL JOB\r\n'],
  ['1,019 bytes', ' '.repeat(1_019)],
])('a PDF whose header follows %s is recognised as a PDF', async (_, before) => {
  const bytes = Buffer.concat([Buffer.from(before), sample.pdf]);
  expect(await typeOf(bytes, 'avis.pdf', 'application/pdf')).toBe('application/pdf');
});

test('a text that mentions a PDF header and is declared as text is recognised as text', async () => {
  expect(await typeOf('A PDF begins with %PDF-1.4', 'note.txt', 'text/plain')).toBe('text/plain');
});

test('browsers show a PDF and the pictures that all of them know, and save HEIC and mails', () => {
  const types = [
    'application/pdf',
    'image/png',
    'image/tiff',
    'image/heic',
    'image/heif',
    'message/rfc822',
    'text/plain',
  ];
  expect(types.filter(isShownByBrowsers)).toEqual(['application/pdf', 'image/png', 'image/tiff']);
});
