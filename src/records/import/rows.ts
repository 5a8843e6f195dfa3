import {
  invalidBodyError,
  parseMediaType,
  problemError,
  notJsonError,
  parseJson,
  readBodyBytes,
  requireJson,
} from '../../http/body.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import { AUTHENTICATED_BODY_BUDGET, scanJson } from '../../http/json-budget.ts';
import { parseCsvRows, type CsvColumns } from './csv-rows.ts';
import { isCharset, convertToUtf8 } from './csv-text.ts';
import { createTooManyRecordsError, type ReceivedRow } from './given.ts';
import type { TurnAwaiter } from './turns.ts';
import { BODY_BYTES, MAX_BODY_ROWS, MANY_RECORDS_BODY_BYTES } from '../../limits.ts';
import { rule } from '../../problems.ts';

/** Types of a CSV table; Windows sends a `.csv` file with the type of Excel, or with none. */
const CSV_TYPES = ['text/csv', 'application/vnd.ms-excel', ''];

/** @throws RequestError ERROR_VALIDATION, and the errors of `readBodyBytes` and `nextTurn` */
export async function readRows(
  incoming: CallerRequest['incoming'],
  sheet: CsvColumns,
  nextTurn: TurnAwaiter,
): Promise<{ readonly rows: readonly ReceivedRow[]; readonly bytes: Buffer }> {
  const bytes = await readBodyBytes(incoming, MANY_RECORDS_BODY_BYTES, requireImportType);
  const { type, parameters } = parseMediaType(incoming.headers['content-type']);
  const rows = CSV_TYPES.includes(type)
    ? await parseCsvRows(await convertToUtf8(bytes, parameters['charset'], nextTurn), sheet, nextTurn)
    : await parseJsonRows(bytes, nextTurn);
  if (rows.length === 0) throw invalidBodyError(rule('empty.records'));
  return { rows, bytes };
}

function requireImportType(contentType: string | undefined): void {
  const { type, parameters } = parseMediaType(contentType);
  if (!CSV_TYPES.includes(type) || !isCharset(parameters['charset'] ?? 'utf-8')) requireJson(contentType);
}

const ARRAY_START = /^(?:\xEF\xBB\xBF)?[ \t\r\n]*\[/;
const BLANK_TEXT = /^[ \t\r\n]*$/;

/** Lets other requests run between records; each may be as large as the body of a single creation. */
async function parseJsonRows(json: Buffer, nextTurn: TurnAwaiter): Promise<ReceivedRow[]> {
  const textFrom = (byteOffset: number): string => json.toString('latin1', byteOffset, byteOffset + BODY_BYTES);
  const rows: ReceivedRow[] = [];
  let offset = ARRAY_START.exec(textFrom(0))?.[0].length;
  if (offset === undefined) throw invalidBodyError(rule('not_a_list'));
  for (let isLast = false; !isLast; ) {
    await nextTurn();
    const rest = json.subarray(offset, offset + BODY_BYTES);
    const { end, excess } = scanJson(rest, AUTHENTICATED_BODY_BUDGET);
    if (excess !== undefined)
      throw problemError(excess.field === 'body' ? excess : { ...excess, position: { index: rows.length } });
    if (end === BODY_BYTES) throw invalidBodyError(rule('record_too_large', { max: BODY_BYTES }));
    if (end === rest.length) throw notJsonError();
    isLast = rest[end] !== COMMA;
    const piece = rest.subarray(0, end);
    offset += end + 1;
    if (isLast && rows.length === 0 && BLANK_TEXT.test(piece.toString('latin1'))) break;
    if (rows.length === MAX_BODY_ROWS) throw createTooManyRecordsError();
    rows.push({ value: parseJson(piece), position: { index: rows.length } });
  }
  if (json[offset - 1] !== CLOSING_BRACKET || json.length - offset > BODY_BYTES || !BLANK_TEXT.test(textFrom(offset)))
    throw notJsonError();
  return rows;
}

const COMMA = 0x2c;
const CLOSING_BRACKET = 0x5d;
