import type { Row } from './sight.ts';

/* Parses the JSON of an answer to a load test’s request without checking the shape, which other tests check. */

export const parsed = (body: Buffer): unknown => JSON.parse(body.toString()) as unknown;

export const rowOf = (body: Buffer): Row => parsed(body) as Row;

export const idOf = (body: Buffer): string => rowOf(body).id;

/** Returns the rows of a list in an answer to a load test’s request; undefined if the answer has no list. */
export function rowsOf(body: Buffer): readonly Row[] | undefined {
  const rows = parsed(body);
  return Array.isArray(rows) ? (rows as readonly Row[]) : undefined;
}
