import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { detectContentType } from '../../src/documents/content-type.ts';
import * as sample from '../support/samples.ts';
import { folderForSuite } from '../support/suite.ts';

const folder = await folderForSuite();

async function typeOf(bytes: Buffer | string, filename = 'x', declaredType = 'application/octet-stream') {
  const file = join(folder, 'content');
  await writeFile(file, bytes);
  return detectContentType(file, { filename, declaredType });
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
  {
    ...{ kind: 'a document with macros', filename: 'x.docx' },
    bytes: sample.openXml('word/document.xml', 'application/vnd.ms-word.document.macroEnabled'),
  },
  { kind: 'text with a NUL at its end', filename: 'x.txt', bytes: `${'x'.repeat(100_000)}\0` },
  { kind: 'text with an escape character', filename: 'x.csv', bytes: 'a\x1b[2Jb' },
  { kind: 'text in Latin-1', filename: 'x.csv', bytes: Buffer.from('relev\xe9;1', 'latin1') },
  { kind: 'text in UTF-16', filename: 'x.txt', bytes: Buffer.from('\ufeffrelevé', 'utf16le') },
  { kind: 'text that ends within a character', filename: 'x.txt', bytes: Buffer.from([0x61, 0xc3]) },
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
  expect(await typeOf(bytes, filename, DECLARED[extension])).toBeUndefined();
});
