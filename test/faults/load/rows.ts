import type { Row } from './sight.ts';

/* Parses an answer of the service as JSON. The shape of the JSON is not checked here, because other tests check it. */

export const parsed = (body: Buffer): unknown => JSON.parse(body.toString()) as unknown;

export const rowOf = (body: Buffer): Row => parsed(body) as Row;

export const idOf = (body: Buffer): string => rowOf(body).id;

/** Returns the rows of a list that the service answered; undefined if the answer has no list. */
export function rowsOf(body: Buffer): readonly Row[] | undefined {
  const rows = parsed(body);
  return Array.isArray(rows) ? (rows as readonly Row[]) : undefined;
}
