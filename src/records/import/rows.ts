import { malformed, mediaTypeOf, noJson, parsed, readBytes, requireJson } from '../../http/body.ts';
import type { CallerRequest } from '../../http/caller-request.ts';
import { CALLER_BUDGET, spanOf } from '../../http/json-budget.ts';
import { rowsOfCsv, type Sheet } from './csv-rows.ts';
import { isCharset, utf8Of } from './csv-text.ts';
import { tooMany, type GivenRow } from './given.ts';
import type { NextTurn } from './turns.ts';
import { BODY_BYTES, ROWS, ROWS_BYTES } from '../../limits.ts';

const CSV = 'text/csv';

/** @throws RequestError ERROR_VALIDATION, and the errors of `readBytes` and `nextTurn` */
export async function readRows(
  incoming: CallerRequest['incoming'],
  sheet: Sheet,
  nextTurn: NextTurn,
): Promise<{ readonly rows: readonly GivenRow[]; readonly bytes: Buffer }> {
  const bytes = await readBytes(incoming, ROWS_BYTES, requireType);
  const { type, parameters } = mediaTypeOf(incoming.headers['content-type']);
  const rows =
    type === CSV
      ? await rowsOfCsv(await utf8Of(bytes, parameters['charset'], nextTurn), sheet, nextTurn)
      : await rowsOfArray(bytes, nextTurn);
  if (rows.length === 0) throw malformed('must have at least one record');
  return { rows, bytes };
}

function requireType(contentType: string | undefined): void {
  const { type, parameters } = mediaTypeOf(contentType);
  if (type !== CSV || !isCharset(parameters['charset'] ?? 'utf-8')) requireJson(contentType);
}

const BEGINNING = /^(?:\xEF\xBB\xBF)?[ \t\r\n]*\[/;
const NOTHING = /^[ \t\r\n]*$/;

/** Parses each record by itself, so that other requests need not wait; each has the budget of one creation. */
async function rowsOfArray(json: Buffer, nextTurn: NextTurn): Promise<GivenRow[]> {
  const textOf = (from: number): string => json.toString('latin1', from, from + BODY_BYTES);
  const rows: GivenRow[] = [];
  let from = BEGINNING.exec(textOf(0))?.[0].length;
  if (from === undefined) throw malformed('must be an array');
  for (let isLast = false; !isLast; ) {
    await nextTurn();
    const rest = json.subarray(from, from + BODY_BYTES);
    const { end, excess } = spanOf(rest, CALLER_BUDGET);
    if (excess !== undefined) throw malformed(excess);
    if (end === BODY_BYTES) throw malformed(`must not have a record of ${BODY_BYTES} bytes`);
    if (end === rest.length) throw noJson();
    isLast = rest[end] !== COMMA;
    const item = rest.subarray(0, end);
    from += end + 1;
    if (isLast && rows.length === 0 && NOTHING.test(item.toString('latin1'))) break;
    if (rows.length === ROWS) throw tooMany();
    const index = rows.length;
    const name = (field?: string) => (field === undefined ? String(index) : `${index}.${field}`);
    rows.push({ value: parsed(item), name });
  }
  if (json[from - 1] !== END || json.length - from > BODY_BYTES || !NOTHING.test(textOf(from)))
    throw noJson();
  return rows;
}

const COMMA = 0x2c;
const END = 0x5d;
