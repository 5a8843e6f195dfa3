import type { RequestError } from '../errors.ts';
import { malformed } from './body.ts';
import { ROWS } from '../limits.ts';

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
  return malformed(`must have at most ${ROWS} records, and lines without anything count`);
}
