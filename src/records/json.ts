import type { CsvCell, Row } from '../http/endpoint.ts';

export type JsonConverter = (text: string) => string;

/** Matches the characters that JSON must escape: double quote, backslash and control characters. */
const ESCAPED_CHARACTER_PATTERN = /["\\]|[^ -\uffff]/;

export const textToJson: JsonConverter = (text) =>
  ESCAPED_CHARACTER_PATTERN.test(text) ? JSON.stringify(text) : `"${text}"`;

export const unescapedTextToJson: JsonConverter = (text) => `"${text}"`;

/** Copies the digits that Postgres returns, which are valid JSON; a JavaScript number could lose digits. */
export const numberToJson: JsonConverter = (text) => text;

export const copyJsonText: JsonConverter = (text) => text;

export const booleanToJson: JsonConverter = (text) => (text === 't' ? 'true' : 'false');

/** Converts `2026-12-31 23:59:59.5+00` to RFC 3339 in whole milliseconds, as a JavaScript Date does: `…T23:59:59.500Z`. */
export const timeToJson: JsonConverter = (text) => {
  const milliseconds = text.length < 26 ? text.slice(20, -3).padEnd(3, '0') : text.slice(20, 23);
  return `"${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z"`;
};

/** Returns SQL that formats a time as `timeToJson` does. */
export const formatTimeSql = (time: string): string =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Converts an array of ids or of column names to JSON; Postgres writes such elements without quotes. */
export const arrayToJson: JsonConverter = (text) =>
  text === '{}' ? '[]' : `["${text.slice(1, -1).replaceAll(',', '","')}"]`;

/** Writes a row as `JSON.stringify` would, but the JSON of the keys only once, to save time on long lists. */
export function createJsonWriter(
  columns: Readonly<Record<string, JsonConverter>>,
  leftOut: readonly string[] = [],
): (row: Row) => string {
  const members = Object.entries(columns).map(([name, toJson], index) => ({
    key: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    toJson,
    isLeftOut: leftOut.includes(name),
  }));
  return (row) => {
    let json = '';
    for (let index = 0; index < members.length; index += 1) {
      const member = members[index];
      const value = row[index];
      if (member === undefined || value === undefined) throw new Error('the row has fewer columns than its record');
      if (value === null && member.isLeftOut) continue;
      json += member.key + (value === null ? 'null' : member.toJson(value));
    }
    return `${json}}`;
  };
}

/** Matches a number or a truth value in JSON, which no person wrote as a text. */
const JSON_VALUE_PATTERN = /^[-\dtf]/;

export function createCsvCellsWriter(columns: readonly JsonConverter[]): (row: Row) => CsvCell[] {
  return (row) =>
    columns.map((toJson, index) => {
      const value = row[index] ?? null;
      if (value === null) return { text: '', isText: false };
      if (toJson === textToJson) return { text: value, isText: true };
      const json = toJson(value);
      const isJson = toJson === copyJsonText;
      const text = (isJson ? /^"/ : /^["[]/).test(json) ? String(JSON.parse(json)) : json;
      return { text, isText: isJson && !JSON_VALUE_PATTERN.test(json) };
    });
}
