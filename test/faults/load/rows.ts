import type { Row } from './sight.ts';

/* What a body has in it, of whose shape the tests of the interface are. */

export const parsed = (body: Buffer): unknown => JSON.parse(body.toString()) as unknown;

export const rowOf = (body: Buffer): Row => parsed(body) as Row;

export const idOf = (body: Buffer): string => rowOf(body).id;

/** Undefined where it is no list. */
export function rowsOf(body: Buffer): readonly Row[] | undefined {
  const rows = parsed(body);
  return Array.isArray(rows) ? (rows as readonly Row[]) : undefined;
}
