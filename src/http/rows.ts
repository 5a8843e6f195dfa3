import type { IncomingMessage } from 'node:http';
import { RequestError } from '../errors.ts';
import { jsonOf, malformed, mediaTypeOf, readBytes } from './body.ts';
import { rowsOfCsv } from './csv-rows.ts';
import type { Sheet } from './csv-rows.ts';
import { isCharset, textOf } from './csv-text.ts';
import { MOST_ROWS, tooMany } from './given-row.ts';
import type { GivenRow } from './given-row.ts';

/* A body of many records, as CSV or as JSON; docs/decisions/imports.md */

const CSV = 'text/csv';

const MAX_BYTES = 10 * 1024 * 1024;
/** Each row has a comma for each of its fields, and no record has as many as forty. */
const MOST_VALUES = MOST_ROWS * 40;

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
  const { type, parameters } = mediaTypeOf(incoming.headers['content-type']);
  const rows =
    type === CSV
      ? await rowsOfCsv(textOf(bytes, parameters['charset']), sheet)
      : rowsOfArray(jsonOf(bytes, MOST_VALUES));
  if (rows.length === 0) throw malformed('must have at least one record');
  return { rows, bytes };
}

function requireType(contentType: string | undefined): void {
  const { type, parameters } = mediaTypeOf(contentType);
  const { charset = 'utf-8' } = parameters;
  if (type === CSV ? isCharset(charset) : type === 'application/json' && /^utf-?8$/i.test(charset)) return;
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
