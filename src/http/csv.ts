import { pipeline, Transform } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import { stringify } from 'csv-stringify/sync';
import type { Request, Response } from 'express';
import { RequestError } from '../errors.ts';
import { contextOf } from './checked-request.ts';
import type { CheckedRequest, Sources } from './checked-request.ts';
import { WHOLE } from './endpoint.ts';
import type { Cell, Endpoint, RecordShape, Reply, Row } from './endpoint.ts';
import { toRequestError } from './errors.ts';
import { page } from './fields.ts';
import { refuseForeignFilter } from './refusals.ts';
import { look, NothingFound } from './standings.ts';

/* A list as a file for spreadsheets: RFC 4180, in UTF-8 with the mark by which they know it. docs/decisions/csv.md */

const CSV = 'text/csv';

/** The first where either is as welcome, and each as it may be asked for: of a type with a parameter only that is meant. */
const OFFERED = ['application/json', CSV, 'application/json; charset=utf-8', `${CSV}; charset=utf-8`];

const MARK = '\uFEFF';

/** Whether a list is asked for as CSV rather than as JSON. */
export function prefersCsv(request: Request, response: Response): boolean {
  response.vary('Accept');
  return String(request.accepts(OFFERED)).startsWith(CSV);
}

/**
 * A file has no pages: whoever asks for one is told so, instead of taking it for all or all for it.
 * @throws RequestError ERROR_VALIDATION
 */
export function refusePages(query: Readonly<Record<string, unknown>>): void {
  const asked = Object.keys(page).filter((name) => name in query);
  if (asked.length === 0) return;
  const rule = 'is not for text/csv, which has the whole list';
  throw new RequestError('ERROR_VALIDATION', `${asked.join(', ')} ${rule}`, {
    details: Object.fromEntries(asked.map((name) => [name, rule])),
  });
}

/**
 * 200 and all records of the list, as they were at one moment, while they are read.
 * @throws NothingFound, RequestError and the errors of the database, as the same list in JSON does
 */
export async function listAsCsv(
  endpoint: Extract<Endpoint, { list: unknown }>,
  checked: CheckedRequest,
  { database, documents }: Sources,
): Promise<Reply> {
  const { input, caller, incoming, state } = checked;
  const { records, of = endpoint.of } = endpoint.list(
    { ...input, query: { ...input.query, limit: WHOLE } },
    caller,
  );
  const { isEmpty, pages } = await database.walk(contextOf(checked), records);
  if (isEmpty) {
    const { resource: table, resourceId: id } = state;
    if (table !== undefined && id !== undefined) {
      const [seen] = await database.run(contextOf(checked), [look({ table, id })]);
      if (seen?.rowCount === 0) throw new NothingFound();
    }
    await refuseForeignFilter(checked, { database, documents });
  }
  const headers = {
    'Content-Type': `${CSV}; charset=utf-8; header=present`,
    'Content-Disposition': contentDisposition(`${endpoint.path.split('/').at(-1) ?? ''}.csv`),
  };
  if (incoming.method === 'HEAD') {
    pages.destroy();
    return { status: 200, headers };
  }
  // The line of the log is written as soon as the answer is broken off.
  pages.once('error', (error) => {
    state.error = toRequestError(error);
  });
  return { status: 200, headers, body: pipeline(pages, linesOf(of), () => undefined) };
}

/** From pages of rows to lines of text. */
function linesOf(of: RecordShape): Transform {
  let beginning = MARK + lines([of.fields]);
  return new Transform({
    writableObjectMode: true,
    writableHighWaterMark: 1,
    transform(rows: readonly Row[], _encoding, done) {
      const text = beginning + lines(rows.map((row) => of.cells(row).map(harmless)));
      beginning = '';
      done(null, text);
    },
  });
}

function lines(rows: readonly (readonly string[])[]): string {
  return stringify([...rows], { record_delimiter: 'windows' });
}

/** What a spreadsheet would take for a formula; what begins with apostrophes before that, so that one can be taken off. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/;

function harmless({ text, isText }: Cell): string {
  return isText && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** The text that was made harmless, or that a person kept from being a formula in the same way. */
export function unharmed(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
