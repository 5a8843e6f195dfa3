import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readCode, readLine, readParagraphs } from '../../src/http/typed-text.ts';

/* This suite tests how the service reads text that people type or paste. */

const NAME = 'Dupont Paris-Nord';

describe('a name', () => {
  test.each([
    ['blanks around it', '  Dupont Paris-Nord '],
    ['a line break after it', 'Dupont Paris-Nord\r\n'],
    ['a line break within', 'Dupont\r\nParis-Nord'],
    ['doubled blanks', 'Dupont  \t Paris-Nord'],
    ['a no-break blank', 'Dupont\u00A0Paris-Nord'],
    ['a narrow no-break blank', 'Dupont\u202FParis-Nord'],
    ['a wide blank', 'Dupont\u3000Paris-Nord'],
    ['blanks of several kinds', '\u2009Dupont\u00A0 \u2003Paris-Nord\u205F'],
    ['a soft hyphen', 'Du\u00ADpont Paris-Nord'],
    ['a zero-width blank', '\u200BDupont\u200B Paris-\u200BNord'],
    ['a zero-width blank between blanks', 'Dupont \u200B Paris-Nord'],
    ['a byte order mark', '\uFEFFDupont Paris-Nord'],
    ['a word joiner', 'Dupont Paris\u2060-\u2060Nord'],
    ['joiners between Latin letters', 'Du\u200Cpont\u200D Paris-Nord'],
    ['marks of direction', '\u202ADupont\u202C \u200EParis-Nord\u2066\u2069'],
    ['a hyphen of typesetters', 'Dupont Paris\u2010Nord'],
    ['a no-break hyphen', 'Dupont Paris\u2011Nord'],
    ['a figure dash', 'Dupont Paris\u2012Nord'],
  ])('a user who types a name with %s means the name without', (_what, typed) => {
    expect(readLine(typed)).toBe(NAME);
  });

  test.each([
    'L’Étoile – Café',
    'İzmir №\u00a07'.normalize('NFKC'),
    '👩‍👩‍👧 & 🏳️‍🌈',
    'می‌خواهم',
    'क्‍ष',
    'שלום',
    '- x',
    "O'Neill\u0301",
  ])('a user who types %j keeps every sign', (typed) => {
    expect(readLine(typed)).toBe(typed);
    expect(readParagraphs(typed)).toBe(typed);
  });

  test.each([
    '',
    ' ',
    '\t\r\n',
    '\u00A0',
    '\u00AD',
    '\u200B\u200C\u200D',
    '\u3164',
    '\uFE0F',
    '\u2800',
    '\u0007',
    '\u{E0020}',
  ])('a user who types nothing visible, such as %j, types nothing', (typed) => {
    expect([readLine(typed), readParagraphs(typed), readCode(typed)]).toEqual(['', '', '']);
  });

  test('a text of NUL alone is not read as nothing, so that a search for it is refused and does not list everything', () => {
    for (const read of [readLine, readParagraphs, readCode]) expect(read('\0')).toBe('\0');
  });
});

test('a user who types several lines keeps the blanks, line breaks and hyphens within them', () => {
  const typed = '\n  Surface\u202F:\n  - 1\u202F200\u00A0m²\r\n\r\n\t*  Paris\u2011Nord\u200B, sur\u00ADévaluée \n';
  expect(readParagraphs(typed)).toBe('Surface\u202F:\n  - 1\u202F200\u00A0m²\r\n\r\n\t*  Paris\u2011Nord, surévaluée');
});

test.each([
  ['732 829 320 00074', '73282932000074'],
  ['\u00A0732\u00A0829\u202F320\u200900074\n', '73282932000074'],
  ['732.829.320.00074', '73282932000074'],
  ['732-829\u2011320\u200B00074', '73282932000074'],
  ['2A 004', '2A004'],
  // A number that a spreadsheet has made of one is none.
  ['73282932.0', '73282932.0'],
  ['7.3E+13', '7.3E+13'],
  ['-7', '-7'],
])('a user who types the number %j means %j', (typed, meant) => {
  expect(readCode(typed)).toBe(meant);
});

test('text that was read once is read the second time as it is', () => {
  const sign = fc.constantFrom(
    ...['a', 'é', 'e\u0301', '-', '.', '7', '123', '👩', '🏽', '\uFE0F', 'م', 'क', '्', '\ud800', '\0', '\u2011'],
    ...[' ', '\u00A0', '\u2003', '\n', '\r', '\u2028', '\u0085'],
    ...['\u00AD', '\u200B', '\u200C', '\u200D', '\u2060', '\u202E', '\uFEFF', '\u3164'],
  );
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 10 }), (signs) => {
      const typed = signs.join('');
      for (const read of [readLine, readParagraphs]) {
        const once = read(typed);
        expect(read(once)).toBe(once);
        expect(once).not.toMatch(/^\s|\s$|[\u00AD\u200B\u2060\uFEFF]/);
      }
      expect(readLine(typed)).not.toMatch(/\s\s|[^\S ]|\u2011/);
    }),
    { numRuns: 3000, seed: 20_261_129 },
  );
});
