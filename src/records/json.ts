import type { CsvCell, Row } from '../http/endpoint.ts';

export type JsonConverter = (text: string) => string;

/** Matches the characters that JSON must escape: double quote, backslash and control characters. */
const ESCAPED_CHARACTER_PATTERN = /["\\]|[^ -\uffff]/;

export const textToJson: JsonConverter = (text) =>
  ESCAPED_CHARACTER_PATTERN.test(text) ? JSON.stringify(text) : `"${text}"`;

export const unescapedTextToJson: JsonConverter = (text) => `"${text}"`;

/** Copies the digits that Postgres returns, which are valid JSON; a JavaScript number could lose digits. */
export const numberToJson: JsonConverter = (text) => text;

/** Copies the value of a JSON column. */
export const copyJsonText: JsonConverter = (text) => text;

export const booleanToJson: JsonConverter = (text) => (text === 't' ? 'true' : 'false');

/** Converts `2026-12-31 23:59:59.5+00` to RFC 3339, `2026-12-31T23:59:59.5Z`, and keeps the microseconds. */
export const timeToJson: JsonConverter = (text) => `"${text.slice(0, 10)}T${text.slice(11, -3)}Z"`;

/** Converts an array of ids or of column names to JSON; Postgres writes such elements without quotes. */
export const arrayToJson: JsonConverter = (text) =>
  text === '{}' ? '[]' : `["${text.slice(1, -1).replaceAll(',', '","')}"]`;

/**
 * Writes a row as `JSON.stringify` would. Writes the JSON of the keys only once, not for each row, to save time on long
 * lists.
 */
export function createJsonWriter(
  columns: Readonly<Record<string, JsonConverter>>,
  leftOut: readonly string[] = [],
): (row: Row) => string {
  const memberWriters = Object.entries(columns).map(([name, toJson], index) => ({
    key: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    toJson,
    isLeftOut: leftOut.includes(name),
  }));
  return (row) => {
    let rowJson = '';
    for (let index = 0; index < memberWriters.length; index += 1) {
      const memberWriter = memberWriters[index];
      const columnValue = row[index];
      if (memberWriter === undefined || columnValue === undefined)
        throw new Error('the row has fewer columns than its record');
      if (columnValue === null && memberWriter.isLeftOut) continue;
      rowJson += memberWriter.key + (columnValue === null ? 'null' : memberWriter.toJson(columnValue));
    }
    return `${rowJson}}`;
  };
}

export function createCsvCellsWriter(columns: readonly JsonConverter[]): (row: Row) => CsvCell[] {
  return (row) =>
    columns.map((toJson, index) => {
      const columnValue = row[index] ?? null;
      if (columnValue === null) return { text: '', isText: false };
      if (toJson === textToJson) return { text: columnValue, isText: true };
      const cellJson = toJson(columnValue);
      const isJson = toJson === copyJsonText;
      const text = (isJson ? /^"/ : /^["[]/).test(cellJson) ? String(JSON.parse(cellJson)) : cellJson;
      return { text, isText: isJson };
    });
}
