import type { IncomingMessage } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { RequestError } from '../errors.ts';
import { jsonOf, malformed, mediaTypeOf, readBytes } from './body.ts';
import { unharmed } from './csv.ts';

/* A body of many records, as CSV or as JSON; docs/decisions/imports.md */

export const MOST_ROWS = 10_000;
const MAX_BYTES = 10 * 1024 * 1024;
/** Each row has a comma for each of its fields, and no record has as many as forty. */
const MOST_VALUES = MOST_ROWS * 40;
/** How many of its errors an answer names. */
const MOST_NAMED = 500;
/** As long as the longest text of a field may be, and all the others. */
const LONGEST_ROW = 100_000;
/** What is parsed at once before others have their turn. */
const PIECE = 32 * 1024;

/** One record of the body, as its schema takes it. */
export interface GivenRow {
  readonly value: unknown;
  /** How an error calls it, or a field of it: `line 17, amount`, or `16.amount` of an array. */
  name(field?: string): string;
}

/** What a table says of its columns. */
export interface Sheet {
  /** The fields that its first row may name, and which of them it must. */
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** What a cell that is not empty says; `isContinental` where a comma may be the sign of decimals. */
  valueOf(field: string, cell: string, isContinental: boolean): unknown;
}

/** Everything that is wrong with a body, until there is more than an answer names. */
export class Problems {
  readonly #found: [string, string][] = [];
  #more = 0;

  add(name: string, rule: string): void {
    if (this.#found.length < MOST_NAMED) this.#found.push([name, rule]);
    else this.#more += 1;
  }

  /** @throws RequestError ERROR_VALIDATION, or the code given, where there is any */
  refuse(code: 'ERROR_VALIDATION' | 'ERROR_NOT_FOUND' | 'ERROR_CONFLICT' = 'ERROR_VALIDATION'): void {
    const [first] = this.#found;
    if (first === undefined) return;
    const details = Object.fromEntries(this.#found);
    if (this.#more > 0) details['…'] = `and ${this.#more} more`;
    const count = this.#found.length + this.#more;
    throw new RequestError(code, `${count} times something like: ${first.join(' ')}`, {
      details,
      mostDetails: MOST_NAMED + 1,
    });
  }
}

/**
 * Reads a body that has many records.
 * @throws RequestError ERROR_VALIDATION, and what `readBytes` throws
 */
export async function readRows(
  incoming: IncomingMessage,
  invite: () => void,
  sheet: Sheet,
): Promise<{ readonly rows: readonly GivenRow[]; readonly bytes: Buffer }> {
  const bytes = await readBytes(incoming, { maxBytes: MAX_BYTES, requireType, invite });
  const isCsv = mediaTypeOf(incoming.headers['content-type']).type === 'text/csv';
  const rows = isCsv ? await rowsOfCsv(textOf(bytes), sheet) : rowsOfArray(jsonOf(bytes, MOST_VALUES));
  if (rows.length === 0) throw malformed('must have at least one record');
  return { rows, bytes };
}

function requireType(contentType: string | undefined): void {
  const { type, parameters } = mediaTypeOf(contentType);
  const isTaken = type === 'text/csv' || type === 'application/json';
  if (isTaken && /^utf-?8$/i.test(parameters['charset'] ?? 'utf-8')) return;
  throw new RequestError('ERROR_UNSUPPORTED_MEDIA_TYPE', `content type ${contentType ?? '(none)'}`);
}

function rowsOfArray(body: unknown): GivenRow[] {
  if (!Array.isArray(body)) throw malformed('must be an array');
  if (body.length > MOST_ROWS) throw tooMany();
  return body.map((value: unknown, index) => ({
    value,
    name: (field) => (field === undefined ? String(index) : `${index}.${field}`),
  }));
}

/** In any other encoding than UTF-8 accents would be stored as something else. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed(
      'must be UTF-8, which it is not: it may be Windows-1252. In Excel, save it as "CSV UTF-8 (comma delimited)"',
    );
  }
}

/** The rows of a table whose first row names the fields. */
export async function rowsOfCsv(text: string, sheet: Sheet): Promise<GivenRow[]> {
  const problems = new Problems();
  const rows: GivenRow[] = [];
  const delimiter = /^[^\r\n]*;/.test(text) ? ';' : ',';
  let names: readonly string[] | undefined;
  const progress = { line: 1 };
  try {
    for await (const { line, cells } of recordsOf(text, delimiter, progress)) {
      if (names === undefined) {
        names = cells.map((cell) => cell.trim());
        refuseHeader(names, sheet);
      } else if (cells.some((cell) => cell.trim() !== '')) {
        if (rows.length === MOST_ROWS) throw tooMany();
        const name: GivenRow['name'] = (field) => `line ${line}${field === undefined ? '' : `, ${field}`}`;
        if (cells.some((cell, index) => !names?.[index] && cell !== ''))
          problems.add(name(), 'has more cells than the first line names');
        rows.push({ value: valueOf(names, cells, (...of) => sheet.valueOf(...of, delimiter === ';')), name });
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.add(`line ${progress.line}`, ruleOf(error));
  }
  problems.refuse();
  return rows;
}

interface CsvRecord {
  /** The first line of the text that it stands on. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A piece at a time, so that nobody waits for a long text; `progress` has the line of the next, also where that fails. */
async function* recordsOf(
  text: string,
  delimiter: string,
  progress: { line: number },
): AsyncGenerator<CsvRecord> {
  async function* pieces(): AsyncGenerator<string> {
    for (let from = 0; from < text.length; from += PIECE) {
      await setImmediate();
      yield text.slice(from, from + PIECE);
    }
  }
  const begun: number[] = [];
  const parser = parse({
    ...{ delimiter, record_delimiter: ['\r\n', '\n', '\r'] },
    ...{ relax_column_count: true, max_record_size: LONGEST_ROW },
    on_record: (cells, { lines }) => {
      begun.push(progress.line);
      progress.line = lines + 1;
      return cells;
    },
  });
  const records = pipeline(Readable.from(pieces()), parser, () => undefined) as AsyncIterable<string[]>;
  let index = 0;
  for await (const cells of records) yield { line: begun[index++] ?? 0, cells };
}

const CSV_RULES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quotation mark that is never closed',
  CSV_INVALID_CLOSING_QUOTE:
    'has something behind a closing quotation mark; one within a cell is written twice',
  INVALID_OPENING_QUOTE: 'has a quotation mark in a cell that does not begin with one',
  CSV_MAX_RECORD_SIZE: `has more than ${LONGEST_ROW} characters: a quotation mark may not be closed`,
};

function ruleOf({ code }: CsvError): string {
  return CSV_RULES[code] ?? 'is no line of a CSV file';
}

/** @throws RequestError ERROR_VALIDATION */
function refuseHeader(names: readonly string[], { fields, required }: Sheet): void {
  const problems = new Problems();
  const named = new Set<string>();
  for (const name of names.filter((name) => name !== '')) {
    if (!fields.includes(name)) problems.add(`line 1, ${name}`, 'is not known here');
    else if (named.has(name)) problems.add(`line 1, ${name}`, 'stands there twice');
    named.add(name);
  }
  for (const name of required)
    if (!named.has(name)) problems.add(`line 1, ${name}`, 'is required: the first line names the fields');
  problems.refuse();
}

function valueOf(
  names: readonly string[],
  cells: readonly string[],
  valueOfCell: (field: string, cell: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    cells.flatMap((cell, index) => {
      const name = names[index] ?? '';
      return cell === '' || name === '' ? [] : [[name, valueOfCell(name, unharmed(cell))]];
    }),
  );
}

function tooMany(): RequestError {
  return malformed(`must have at most ${MOST_ROWS} records`);
}
