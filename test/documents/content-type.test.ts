import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
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

describe('the type of a document', () => {
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
  ])('is %s by its bytes, whatever its sender says', async (type, bytes) => {
    expect(await typeOf(bytes)).toBe(type);
    expect(await typeOf(bytes, 'lettre.exe', 'application/x-msdownload')).toBe(type);
    expect(await typeOf(bytes, 'table.csv', 'text/csv')).toBe(type);
  });

  test('is PDF also where all of it is ASCII and its sender calls it text', async () => {
    expect(await typeOf('%PDF-1.4\n1 0 obj\nendobj\n%%EOF\n', 'x.txt', 'text/plain')).toBe('application/pdf');
  });

  test.each([
    ['text/plain', 'note.txt', 'application/octet-stream'],
    ['text/plain', 'NOTE.TXT', 'application/pdf'],
    ['text/plain', 'note', 'text/plain'],
    ['text/csv', 'relevé.csv', 'application/vnd.ms-excel'],
    ['text/csv', 'relevé.CSV', 'text/plain'],
    ['text/csv', 'relevé', 'text/csv'],
  ])('is %s for text called %s and declared %s', async (type, filename, declared) => {
    expect(await typeOf('local;surface\r\nDépôt\t;12,5\f\n', filename, declared)).toBe(type);
  });

  test.each(['GIF89a;1\n', 'BM;W\n', 'MZ;1\n', '\ufeffnom;é\n'])('is CSV though it begins with %j', async (text) => {
    expect(await typeOf(text, 'x.csv')).toBe('text/csv');
  });

  test('is text though a letter of several bytes lies across two reads', async () => {
    expect(await typeOf(`${'x'.repeat(65_535)}é${'x'.repeat(100)}`, 'x.txt')).toBe('text/plain');
  });

  test.each([
    ['an executable', Buffer.from('4d5a90000300000004000000ffff0000', 'hex'), 'x.pdf', 'application/pdf'],
    ['text that is called a PDF', 'not a PDF', 'x.pdf', 'application/pdf'],
    ['a page that is declared as one', '<!doctype html><script>alert(1)</script>', 'x.html', 'text/html'],
    ['a drawing with scripts', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'x.svg', 'image/svg+xml'],
    ['an archive', sample.zip({ 'a.exe': 'MZ' }), 'x.docx', `${OOXML}.wordprocessingml.document`],
    [
      'a document with macros',
      sample.openXml('word/document.xml', 'application/vnd.ms-word.document.macroEnabled'),
      'x.docx',
      'application/msword',
    ],
    ['text with a NUL at its end', `${'x'.repeat(100_000)}\0`, 'x.txt', 'text/plain'],
    ['text with an escape character', 'a\x1b[2Jb', 'x.csv', 'text/csv'],
    ['text in Latin-1', Buffer.from('relev\xe9;1', 'latin1'), 'x.csv', 'text/csv'],
    ['text in UTF-16', Buffer.from('\ufeffrelevé', 'utf16le'), 'x.txt', 'text/plain'],
    ['text that ends within a letter', Buffer.from([0x61, 0xc3]), 'x.txt', 'text/plain'],
    ['a compound file of no office', sample.compound([{ name: 'Root Entry', child: 1 }, { name: 'x' }]), 'x.doc', ''],
    [
      'a mail with a letter inside',
      sample.compound([{ name: 'Root Entry', child: 1 }, { name: '__substg', child: 2 }, { name: 'WordDocument' }]),
      'x.doc',
      'application/msword',
    ],
    [
      'a compound file whose directory is a loop',
      sample.compound(
        [
          { name: 'Root Entry', child: 1 },
          { name: 'x', right: 1 },
        ],
        1,
      ),
      'x.xls',
      '',
    ],
    ['the first bytes of a compound file', sample.doc.subarray(0, 20), 'x.doc', 'application/msword'],
  ])('is none for %s', async (_what, bytes, filename, declared) => {
    expect(await typeOf(bytes, filename, declared)).toBeUndefined();
  });
});
