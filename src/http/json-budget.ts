import {
  BODY_BYTES,
  MAX_BULK_CHANGES,
  BULK_CHANGE_BODY_BYTES,
  MAX_JSON_DEPTH,
  MAX_JSON_FIELDS,
  MAX_JSON_FIELDS_PER_CHANGE,
  MAX_JSON_NUMBER_DIGITS,
  MAX_JSON_VALUES,
  MAX_LOGIN_JSON_VALUES,
} from '../limits.ts';
import type { Problem } from '../errors.ts';
import { rule, type ProblemRule } from '../problems.ts';

/** Size limits of a JSON body. Field names have a limit of their own, because parsing them is expensive. */
export interface JsonBudget {
  readonly bytes: number;
  readonly values: number;
  readonly fields: number;
}

export const AUTHENTICATED_BODY_BUDGET: JsonBudget = {
  bytes: BODY_BYTES,
  values: MAX_JSON_VALUES,
  fields: MAX_JSON_FIELDS,
};
/** The body of a bulk change has one field name for the list of changes. */
export const BULK_CHANGE_BODY_BUDGET: JsonBudget = {
  bytes: BULK_CHANGE_BODY_BYTES,
  values: MAX_JSON_VALUES,
  fields: 1 + MAX_JSON_FIELDS_PER_CHANGE * MAX_BULK_CHANGES,
};
export const PUBLIC_BODY_BUDGET: JsonBudget = {
  bytes: BODY_BYTES,
  values: MAX_LOGIN_JSON_VALUES,
  fields: MAX_LOGIN_JSON_VALUES,
};

const [QUOTE, COMMA, MINUS, ZERO, NINE, COLON, BACKSLASH] = [0x22, 0x2c, 0x2d, 0x30, 0x39, 0x3a, 0x5c];
const [ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Finds the end of the first JSON value without parsing it; `excess` is the exceeded limit, of the body or of a field. */
export function scanJson(
  json: Buffer,
  { values: maxValues, fields: maxFields }: JsonBudget,
): { readonly end: number; readonly excess?: Problem } {
  let [at, depth, values, fields] = [0, 0, 1, 0];
  /** The position in the list of a bulk change. */
  let index = 0;
  const exceeds = (broken: ProblemRule) => ({ end: at, excess: { field: 'body', rule: broken } });
  for (; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = findStringEnd(json, at);
    else if (byte === OBJECT || byte === ARRAY) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return exceeds(rule('too_complex', { max: MAX_JSON_DEPTH }));
    } else if (byte === OBJECT_END || byte === ARRAY_END) {
      if (depth === 0) break;
      depth -= 1;
    } else if (byte === COMMA) {
      if (depth === 0) break;
      values += 1;
      if (depth === 2) index += 1;
      if (values > maxValues) return exceeds(rule('too_complex.values', { max: maxValues }));
    } else if (byte === COLON) {
      fields += 1;
      if (fields > maxFields) return exceeds(rule('too_complex.fields', { max: maxFields }));
    } else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      const end = findNumberEnd(json, at);
      if (
        end - at > MAX_JSON_NUMBER_DIGITS &&
        countSignificantDigits(json.toString('latin1', at, end)) > MAX_JSON_NUMBER_DIGITS
      ) {
        const field = findFieldBefore(json, at);
        if (field === undefined) return exceeds(rule('too_complex.digits', { max: MAX_JSON_NUMBER_DIGITS }));
        const broken = rule('too_many_digits', { max: MAX_JSON_NUMBER_DIGITS });
        return { end: at, excess: { field, rule: broken, ...(depth === 3 && { position: { index } }) } };
      }
      at = end - 1;
    }
  }
  return { end: Math.min(at, json.length) };
}

/** The bytes before a number in which the name of its field is looked for. */
const MAX_NAME = 1_000;

/** Returns the name of the field, as it is escaped, whose value begins at the given place; undefined for an element of a list. */
function findFieldBefore(json: Buffer, value: number): string | undefined {
  return /"((?:[^"\\]|\\.)*)"\s*:\s*$/.exec(json.toString('utf8', Math.max(0, value - MAX_NAME), value))?.[1];
}

function findStringEnd(json: Buffer, from: number): number {
  for (let at = from + 1; at < json.length; at += 1) {
    if (json[at] === QUOTE) return at;
    if (json[at] === BACKSLASH) at += 1;
  }
  return json.length;
}

function findNumberEnd(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && NUMBER_BYTES.has(json[at] ?? 0)) at += 1;
  return at;
}

const NUMBER_BYTES = new Set(Buffer.from('0123456789.eE+-'));

function countSignificantDigits(number: string): number {
  const [mantissa = ''] = number.split(/e/i, 1);
  const digits = mantissa.replace(/[-.]/g, '');
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charCodeAt(start) === ZERO) start += 1;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return end - start;
}
