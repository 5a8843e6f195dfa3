import type { RequestError } from '../errors.ts';
import { malformed } from './body.ts';

/** How many records a body has at most; in a table each line without anything is one: it costs as much as any other. */
export const MOST_ROWS = 10_000;

/** One record of the body, as its schema takes it. */
export interface GivenRow {
  readonly value: unknown;
  /** How an error calls it, or a field of it: `line 17, amount`, or `16.amount` of an array. */
  name(field?: string): string;
  /** What is wrong with cells that say nothing which a schema could be asked about, by field. */
  readonly misread?: ReadonlyMap<string, string>;
}

/** What is said of more. */
export function tooMany(): RequestError {
  return malformed(`must have at most ${MOST_ROWS} records, and lines without anything count`);
}
