import { pipeline, Transform } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import { stringify } from 'csv-stringify/sync';
import type { Request, Response } from 'express';
import { problemsText, RequestError, validationError } from '../errors.ts';
import type { CallerRequest } from './caller-request.ts';
import { chooseDialect, type CsvDialect } from './csv-dialect.ts';
import { UNLIMITED_ROWS, type Endpoint, type RequestInput, type RecordShape, type Row } from './endpoint.ts';
import type { EndpointReply } from './envelope.ts';
import { toRequestError } from './errors.ts';
import { pageParameters } from './fields.ts';
import { escapeFormulas } from './formulas.ts';
import { rule } from '../problems.ts';
import { refuseInaccessibleList } from './visibility.ts';

/* Sends lists as CSV (RFC 4180). Spreadsheets recognise UTF-8 by the byte order mark. docs/decisions/csv.md */

const CSV_TYPE = 'text/csv';

/** Media types of lists; JSON comes first, so that it wins if the Accept header gives JSON and CSV the same weight. */
const OFFERED_TYPES = ['application/json', CSV_TYPE, 'application/json; charset=utf-8', `${CSV_TYPE}; charset=utf-8`];

const BYTE_ORDER_MARK = '\uFEFF';

export function prefersCsv(request: Request, response: Response): boolean {
  response.vary('Accept');
  return String(request.accepts(OFFERED_TYPES)).startsWith(CSV_TYPE);
}

export function refusePageParameters(query: Readonly<Record<string, unknown>>): void {
  const fields = Object.keys(pageParameters).filter((name) => name in query);
  if (fields.length === 0) return;
  const problems = fields.map((field) => ({ field, rule: rule('not_for_csv') }));
  throw new RequestError('ERROR_VALIDATION', problemsText(problems), { problems });
}

export function refuseDialect(query: Readonly<Record<string, unknown>>): void {
  if ('dialect' in query) throw validationError('dialect', rule('for_csv'), 'a dialect of a list in JSON');
}

/** Streams a whole list as CSV, from one snapshot. @throws RecordNotFound, RequestError and the database's errors */
export async function replyWithCsvList(
  endpoint: Extract<Endpoint, { list: unknown }>,
  input: RequestInput,
  request: CallerRequest,
): Promise<EndpointReply> {
  const { caller, incoming, state } = request;
  const unpaged = { ...input, query: { ...input.query, limit: UNLIMITED_ROWS } };
  const { records, of = endpoint.of } = endpoint.list(unpaged, caller);
  const { isEmpty, pages } = await request.database.stream(state, records);
  if (isEmpty) await refuseInaccessibleList(endpoint, input, request);
  const headers = {
    'Content-Type': `${CSV_TYPE}; charset=utf-8; header=present`,
    'Content-Disposition': contentDisposition(`${endpoint.path.split('/').at(-1) ?? ''}.csv`),
  };
  if (incoming.method === 'HEAD') {
    pages.destroy();
    return { status: 200, headers };
  }
  pages.once('error', (error) => {
    state.error = toRequestError(error);
  });
  return {
    status: 200,
    headers,
    body: pipeline(pages, csvLineStream(of, chooseDialect(input.query['dialect'])), () => undefined),
  };
}

function csvLineStream(of: RecordShape, { delimiter, write }: CsvDialect): Transform {
  let head = BYTE_ORDER_MARK + formatCsv([of.fields], delimiter);
  return new Transform({
    writableObjectMode: true,
    writableHighWaterMark: 1,
    transform(rows: readonly Row[], _encoding, done) {
      const lines = rows.map((row) =>
        of.cells(row).map(({ text, isText }) => (isText ? escapeFormulas(text) : write(text))),
      );
      const text = head + formatCsv(lines, delimiter);
      head = '';
      done(null, text);
    },
  });
}

/** Matches cells that need quotation marks because some spreadsheets trim or split them; the CSV library adds none. */
const QUOTED_CELL_PATTERN = /^\s|\s$|[;|\t\v\f\x1c-\x1f\x85\u2028\u2029]/;

function formatCsv(rows: readonly (readonly string[])[], delimiter: string): string {
  return stringify([...rows], {
    delimiter,
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    quoted_match: QUOTED_CELL_PATTERN,
  });
}
