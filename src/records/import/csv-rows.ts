import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { unescapeFormulas } from '../../http/formulas.ts';
import { ProblemList, tooManyRecords, type ReceivedRow } from './given.ts';
import type { NextTurn } from './turns.ts';
import { rule, type Rule } from '../../problems.ts';
import { CSV_CELLS, CSV_PIECE_BYTES, CSV_ROW_CHARACTERS, MAX_BODY_ROWS } from '../../limits.ts';

/** The maximum size of a CSV row in bytes, with its separators and quotation marks. */
const LONGEST_ROW_BYTES = 4 * CSV_ROW_CHARACTERS;
const BEGINNING_BYTES = 2 * CSV_ROW_CHARACTERS;

export interface CsvColumns {
  readonly fields: readonly string[];
  readonly required: readonly string[];
  readonly ignored: readonly string[];
  /**
   * Reads a cell. `isContinental` is true if semicolons separate the cells, as in countries where dates begin with the
   * day.
   */
  read(field: string, cell: string, isContinental: boolean): CellValue;
}

/** The parsed value of a CSV cell, the rule that the cell breaks, or undefined for an empty cell. */
export type CellValue = { readonly value: unknown } | { readonly rule: Rule } | undefined;

export async function rowsOfCsv(
  table: Buffer,
  sheet: CsvColumns,
  nextTurn: NextTurn,
): Promise<ReceivedRow[]> {
  const problems = new ProblemList();
  const rows: ReceivedRow[] = [];
  const { delimiter, from, line: first } = detectSeparator(table);
  const progress = { line: first };
  let header: CsvHeader | undefined;
  const addRecord = (cells: readonly string[]): void => {
    if (cells.every((cell) => cell.trim() === '')) return;
    const { line } = progress;
    if (header === undefined) {
      header = headerOf(cells, line, sheet);
      return;
    }
    const row = rowOf(cells, line, header, (...of) => sheet.read(...of, delimiter === ';'));
    const names = header;
    if (cells.some((cell, index) => !names[index] && names[index] !== null && cell.trim() !== ''))
      problems.add(row.position, '', rule('too_many_cells'));
    rows.push(row);
  };
  try {
    await parseRecords(table.subarray(from), delimiter, progress, addRecord, nextTurn);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.add({ line: progress.line }, '', CSV_RULES[error.code] ?? rule('not_a_csv'));
  }
  problems.throwIfAny();
  return rows;
}

/** Finds the separator of the cells in a first line for Excel (`sep=;`), or else in the first line with letters. */
function detectSeparator(table: Buffer): { delimiter: string; from: number; line: number } {
  const text = table.toString('utf8', 0, BEGINNING_BYTES);
  const separatorLine = /^"?sep=([;,\t])"?[;,\t]*(?:\r\n|\n|\r)/i.exec(text);
  if (separatorLine !== null)
    return { delimiter: separatorLine[1] ?? ';', from: separatorLine[0].length, line: 2 };
  const firstTextLine = /^.*\p{L}.*$/mu.exec(text)?.[0] ?? '';
  return { delimiter: [';', '\t'].find((sign) => firstTextLine.includes(sign)) ?? ',', from: 0, line: 1 };
}

async function parseRecords(
  table: Buffer,
  delimiter: string,
  progress: { line: number },
  addRecord: (cells: readonly string[]) => void,
  nextTurn: NextTurn,
): Promise<void> {
  let [records, fedBytes, recordStart] = [0, 0, 0];
  const parser = parse({
    ...{ delimiter, record_delimiter: ['\r\n', '\n', '\r'] },
    ...{ relax_column_count: true, max_record_size: CSV_ROW_CHARACTERS },
    on_record: (cells: string[]) => {
      if (records > MAX_BODY_ROWS) throw tooManyRecords();
      if (cells.length > CSV_CELLS) throw createTooLongError();
      addRecord(cells);
      progress.line += 1 + countLineBreaks(cells);
      records += 1;
      recordStart = fedBytes;
      // Resetting the record count stops csv-parse from building a slow error for each record with fewer cells than the
      // first.
      Object.assign(parser.info, { records: 0 });
      return null;
    },
  });
  const createTooLongError = (): CsvError =>
    new CsvError('CSV_MAX_RECORD_SIZE', 'a long record', parser.options);
  async function* readPieces(): AsyncGenerator<Buffer> {
    for (; fedBytes < table.length; fedBytes += CSV_PIECE_BYTES) {
      await nextTurn();
      if (fedBytes - recordStart > LONGEST_ROW_BYTES) throw createTooLongError();
      yield table.subarray(fedBytes, fedBytes + CSV_PIECE_BYTES);
    }
  }
  await pipeline(readPieces(), parser.resume());
}

/** Counts the line breaks within the cells, because csv-parse counts a CRLF within quotation marks twice. */
function countLineBreaks(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
}

const CSV_RULES: Readonly<Record<string, Rule>> = {
  CSV_QUOTE_NOT_CLOSED: rule('not_a_csv.open'),
  CSV_INVALID_CLOSING_QUOTE: rule('not_a_csv.behind'),
  INVALID_OPENING_QUOTE: rule('not_a_csv.within'),
  CSV_MAX_RECORD_SIZE: rule('not_a_csv.row', { characters: CSV_ROW_CHARACTERS, cells: CSV_CELLS }),
};

type CsvHeader = readonly (string | null)[];

/**
 * Reads the header of a CSV; column names may have any letter case, and blanks for underscores.
 * @throws RequestError ERROR_VALIDATION
 */
function headerOf(
  cells: readonly string[],
  line: number,
  { fields, required, ignored }: CsvColumns,
): CsvHeader {
  const problems = new ProblemList();
  const header = cells.map((cell) => cell.trim().toLowerCase().replaceAll(/\s+/g, '_'));
  const seenNames = new Set<string>();
  let isEveryColumnKnown = true;
  for (const [index, name] of header.entries()) {
    if (name === '') continue;
    const column = cells[index]?.trim() ?? '';
    if (!fields.includes(name) && !ignored.includes(name)) {
      problems.add({ line }, column, rule('unknown_field'));
      isEveryColumnKnown = false;
    } else if (seenNames.has(name)) problems.add({ line }, column, rule('given_twice.column'));
    seenNames.add(name);
  }
  for (const name of required)
    if (!seenNames.has(name)) problems.add({ line }, name, rule('required.column'));
  if (!isEveryColumnKnown) problems.add({ line }, '', rule('unknown_field.columns', { fields }));
  problems.throwIfAny();
  return header.map((name) => (ignored.includes(name) ? null : name));
}

function rowOf(
  cells: readonly string[],
  line: number,
  header: CsvHeader,
  read: (field: string, cell: string) => CellValue,
): ReceivedRow {
  const value: Record<string, unknown> = {};
  const cellProblems = new Map<string, Rule>();
  for (const [index, cell] of cells.entries()) {
    const field = header[index];
    if (cell === '' || !field) continue;
    const cellValue = read(field, unescapeFormulas(cell));
    if (cellValue === undefined) continue;
    if ('rule' in cellValue) cellProblems.set(field, cellValue.rule);
    else value[field] = cellValue.value;
  }
  return { value, position: { line }, cellProblems };
}
