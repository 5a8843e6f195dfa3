import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { unescapeFormulas } from '../../http/formulas.ts';
import { readLine } from '../../http/typed-text.ts';
import { ProblemList, createTooManyRecordsError, type ReceivedRow } from './given.ts';
import type { TurnAwaiter } from './turns.ts';
import { rule, type ProblemRule } from '../../problems.ts';
import { MAX_CSV_ROW_CELLS, CSV_BYTES_BEFORE_YIELD, MAX_CSV_ROW_CHARACTERS, MAX_BODY_ROWS } from '../../limits.ts';

/** The maximum size of a CSV row in bytes, with its separators and quotation marks. */
const LONGEST_ROW_BYTES = 4 * MAX_CSV_ROW_CHARACTERS;
const SEPARATOR_SEARCH_BYTES = 2 * MAX_CSV_ROW_CHARACTERS;

export interface CsvColumns {
  readonly fields: readonly string[];
  readonly required: readonly string[];
  readonly ignored: readonly string[];
  /** `isContinental` is true if semicolons separate the cells, as in countries where dates begin with the day. */
  read(field: string, cell: string, isContinental: boolean): CellValue;
}

/** The parsed value of a CSV cell, the rule that the cell breaks, or undefined for an empty cell. */
export type CellValue = { readonly value: unknown } | { readonly rule: ProblemRule } | undefined;

export async function parseCsvRows(table: Buffer, sheet: CsvColumns, nextTurn: TurnAwaiter): Promise<ReceivedRow[]> {
  const problems = new ProblemList();
  const rows: ReceivedRow[] = [];
  const { delimiter, from, line: first } = detectSeparator(table);
  const place = { line: first };
  let header: CsvHeader | undefined;
  const add = (cells: readonly string[]): void => {
    if (cells.every((cell) => readLine(cell) === '')) return;
    const { line } = place;
    if (header === undefined) {
      header = parseCsvHeader(cells, line, sheet);
      return;
    }
    const row = readCsvRow(cells, line, header, (...of) => sheet.read(...of, delimiter === ';'));
    const names = header;
    if (cells.some((cell, index) => !names[index] && names[index] !== null && readLine(cell) !== ''))
      problems.add(row.position, '', rule('too_many_cells'));
    rows.push(row);
  };
  try {
    await parseRecords(table.subarray(from), delimiter, place, add, nextTurn);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.add({ line: place.line }, '', CSV_ERROR_RULES[error.code] ?? rule('not_a_csv'));
  }
  problems.throwIfAny();
  return rows;
}

/** Finds the separator of the cells in a first line such as `sep=;`, or else in the first line with letters. */
function detectSeparator(table: Buffer): { delimiter: string; from: number; line: number } {
  const start = table.toString('utf8', 0, SEPARATOR_SEARCH_BYTES);
  const named = /^"?sep=([;,\t])"?[;,\t]*(?:\r\n|\n|\r)/i.exec(start);
  if (named !== null) return { delimiter: named[1] ?? ';', from: named[0].length, line: 2 };
  const first = /^.*\p{L}.*$/mu.exec(start)?.[0] ?? '';
  return { delimiter: [';', '\t'].find((sign) => first.includes(sign)) ?? ',', from: 0, line: 1 };
}

async function parseRecords(
  table: Buffer,
  delimiter: string,
  place: { line: number },
  add: (cells: readonly string[]) => void,
  nextTurn: TurnAwaiter,
): Promise<void> {
  let [records, fed, start] = [0, 0, 0];
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: MAX_CSV_ROW_CHARACTERS,
    on_record: (cells: string[]) => {
      if (records > MAX_BODY_ROWS) throw createTooManyRecordsError();
      if (cells.length > MAX_CSV_ROW_CELLS) throw tooLong();
      add(cells);
      place.line += 1 + countLineBreaks(cells);
      records += 1;
      start = fed;
      // Without this, csv-parse builds a slow error for each record with fewer cells than the first.
      Object.assign(parser.info, { records: 0 });
      return null;
    },
  });
  const tooLong = (): CsvError => new CsvError('CSV_MAX_RECORD_SIZE', 'a long record', parser.options);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (; fed < table.length; fed += CSV_BYTES_BEFORE_YIELD) {
      await nextTurn();
      if (fed - start > LONGEST_ROW_BYTES) throw tooLong();
      yield table.subarray(fed, fed + CSV_BYTES_BEFORE_YIELD);
    }
  }
  await pipeline(pieces(), parser.resume());
}

/** Counts the line breaks within the cells, because csv-parse counts a CRLF within quotation marks twice. */
function countLineBreaks(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
}

const CSV_ERROR_RULES: Readonly<Record<string, ProblemRule>> = {
  CSV_QUOTE_NOT_CLOSED: rule('not_a_csv.open'),
  CSV_INVALID_CLOSING_QUOTE: rule('not_a_csv.behind'),
  INVALID_OPENING_QUOTE: rule('not_a_csv.within'),
  CSV_MAX_RECORD_SIZE: rule('not_a_csv.row', { characters: MAX_CSV_ROW_CHARACTERS, cells: MAX_CSV_ROW_CELLS }),
};

type CsvHeader = readonly (string | null)[];

/** Names may have any letter case, and blanks for underscores. @throws RequestError ERROR_VALIDATION */
function parseCsvHeader(cells: readonly string[], line: number, { fields, required, ignored }: CsvColumns): CsvHeader {
  const problems = new ProblemList();
  const names = cells.map((cell) => readLine(cell).toLowerCase().replaceAll(' ', '_'));
  const seen = new Set<string>();
  let isKnown = true;
  for (const [index, name] of names.entries()) {
    if (name === '') continue;
    const title = readLine(cells[index] ?? '');
    if (!fields.includes(name) && !ignored.includes(name)) {
      problems.add({ line }, title, rule('unknown_field'));
      isKnown = false;
    } else if (seen.has(name)) problems.add({ line }, title, rule('given_twice.column'));
    seen.add(name);
  }
  for (const name of required) if (!seen.has(name)) problems.add({ line }, name, rule('required.column'));
  if (!isKnown) problems.add({ line }, '', rule('unknown_field.columns', { fields }));
  problems.throwIfAny();
  return names.map((name) => (ignored.includes(name) ? null : name));
}

function readCsvRow(
  cells: readonly string[],
  line: number,
  header: CsvHeader,
  read: (field: string, cell: string) => CellValue,
): ReceivedRow {
  const value: Record<string, unknown> = {};
  const cellProblems = new Map<string, ProblemRule>();
  for (const [index, cell] of cells.entries()) {
    const field = header[index];
    if (cell === '' || !field) continue;
    const result = read(field, unescapeFormulas(cell));
    if (result === undefined) continue;
    if ('rule' in result) cellProblems.set(field, result.rule);
    else value[field] = result.value;
  }
  return { value, position: { line }, cellProblems };
}
