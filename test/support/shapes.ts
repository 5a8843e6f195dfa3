/* This module builds request bodies that are expensive for parsers: CSV tables, JSON, and texts that are neither. */

const NAMES = 'client_id,site_name,address\r\n';

/** Builds a request body of `size` bytes or a little less from a beginning, a repeated unit and an end. */
const filled = (size: number, first: string, unit: string | Buffer, last = ''): Buffer =>
  Buffer.concat([
    Buffer.from(first, 'latin1'),
    Buffer.alloc(size - first.length - last.length, unit),
    Buffer.from(last, 'latin1'),
  ]);

/**
 * Builds a request body of at most `size` bytes from a beginning, different units with commas between them, and an end.
 */
function listed(size: number, first: string, unit: (index: number) => string, last: string): Buffer {
  const units: string[] = [];
  for (let length = first.length + last.length, index = 0; ; index += 1) {
    const next = unit(index);
    length += Buffer.byteLength(next) + 1;
    if (length > size) return Buffer.from(first + units.join(',') + last);
    units.push(next);
  }
}

export type Shape = (size: number) => Buffer;

const id = (index: number): string => `11111111-1111-4111-8111-${String(index).padStart(12, '0')}`;
const row = (text: string) => (index: number) => `{"client_id":"${id(index)}","site_name":"${text}"}`;

export const SHAPES: Readonly<Record<string, Shape>> = {
  'blank lines': (size) => filled(size, '', '\n'),
  'lines of one blank': (size) => filled(size, '', ' \n'),
  'blank lines below a header': (size) => filled(size, NAMES, '\r\n'),
  'lines of empty cells below a header': (size) => filled(size, NAMES, ',,\n'),
  'lines with too few cells': (size) => filled(size, NAMES, 'a\n'),
  'lines with too many cells': (size) => filled(size, NAMES, 'a,b,c,d\n'),
  'long lines that are all wrong': (size) => filled(size, NAMES, `${id(0)},${'x'.repeat(980)},y,z\n`),
  'long lines of accents': (size) => filled(size, NAMES, `${id(0)},${'é'.repeat(250)},${'à'.repeat(250)}\n`),
  'quoted cells': (size) => filled(size, NAMES, '"a","b","c"\r\n'),
  'quotation marks': (size) => filled(size, NAMES, '"'),
  'a quotation mark that is never closed': (size) => filled(size, `${NAMES}"`, 'a,b\n'),
  'a quotation mark in a cell of each line': (size) => filled(size, NAMES, 'a"b,c,d\n'),
  'a wrong byte first': (size) => filled(size, '\xff', 'a,b,c\n'),
  'a wrong byte last': (size) => filled(size, NAMES, 'a,b,c\n', '\x81\xff'),
  'a wrong byte behind blank lines': (size) => filled(size, '', '\n', '\x81\xff'),
  'a wrong byte behind accents': (size) => filled(size, NAMES, 'é'.repeat(500), '\x81\xff'),
  'one long line of letters': (size) => filled(size, '', 'a'),
  'one long line of digits': (size) => filled(size, '', '1'),
  'one long line of commas': (size) => filled(size, '', ','),
  'one long line below a header': (size) => filled(size, NAMES, 'a,'),
  'one long header': (size) => filled(size, '', 'site_name,'),
  'line ends of one kind': (size) => filled(size, '', '\r'),
  'bytes of zero': (size) => filled(size, '', '\0'),
  'control characters': (size) => filled(size, NAMES, `${id(0)},${'\u0001'.repeat(900)},b\n`),

  'blanks before JSON': (size) => filled(size, '', ' ', '[{}]'),
  'blanks within JSON': (size) => filled(size, '[', ' ', '{}]'),
  'blanks behind JSON': (size) => filled(size, '[{}]', ' '),
  'many keys': (size) => listed(size, '{', (index) => `"f${index}":1`, '}'),
  'many keys of one record': (size) => listed(size, '[{', (index) => `"f${index}":1`, '}]'),
  'many keys of a field': (size) => listed(size, '{"token":{', (index) => `"f${index}":1`, '}}'),
  'one key many times': (size) => filled(size, '{"a":1', ',"a":1', '}'),
  'keys that differ in each record': (size) =>
    listed(size, '[', (index) => `{"a${index}":1,"b${index}":1,"c${index}":1,"d${index}":1}`, ']'),
  'many numbers': (size) => filled(size, '[1', ',1', ']'),
  'many lists': (size) => filled(size, '[[]', ',[]', ']'),
  'many records without anything': (size) => filled(size, '[{}', ',{}', ']'),
  'a field that is a list of numbers': (size) => filled(size, '{"client_access":[1', ',1', ']}'),
  'a field that is a list of objects': (size) => filled(size, '{"client_access":[{}', ',{}', ']}'),
  'long records that are all wrong': (size) => listed(size, '[', row('x'.repeat(950)), ']'),
  'long records of control characters': (size) => listed(size, '[', row('\\u0001'.repeat(150)), ']'),
  'records whose fields are lists': (size) => listed(size, '[', () => `{"client_id":[${'1,'.repeat(9_000)}1]}`, ']'),
  'lists in lists': (size) => filled(size, '', '['),
  'objects in objects': (size) => filled(size, '', '{"a":'),
  'lists in lists that are closed': (size) => Buffer.concat([Buffer.alloc(size / 2, '['), Buffer.alloc(size / 2, ']')]),
  'one long text': (size) => filled(size, '["', 'a', '"]'),
  'one long text of a field': (size) => filled(size, '{"token":"', 'a', '"}'),
  'one long text of dots': (size) => filled(size, '{"token":"', '.', '"}'),
  'one long key': (size) => filled(size, '{"', 'a', '":1}'),
  'one long number': (size) => filled(size, '{"a":', '9', '}'),
  'many long numbers': (size) => filled(size, '[1', ',1234567890123450000000000', ']'),
  escapes: (size) => filled(size, '{"token":"', '\\u0041', '"}'),
  'escapes in a list': (size) => filled(size, '["', '\\\\', '"]'),
  'a text that is never closed': (size) => filled(size, '[{"site_name":"', '\\"'),
};
