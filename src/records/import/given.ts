import { RequestError } from '../../errors.ts';
import { malformed } from '../../http/body.ts';
import { PROBLEMS, ROWS } from '../../limits.ts';

/** One record of the body, as its schema takes it. */
export interface GivenRow {
  readonly value: unknown;
  /** How an error calls it, or a field of it: `line 17, amount`, or `16.amount` of an array. */
  name(field?: string): string;
  /** What is wrong with cells that say nothing which a schema could be asked about, by field. */
  readonly misread?: ReadonlyMap<string, string>;
}

export function tooMany(): RequestError {
  return malformed(`must have at most ${ROWS} records, and lines without anything count`);
}

/** Everything that is wrong with a body, until there is more than an answer names. */
export class Problems {
  readonly #found: [string, string][] = [];
  #more = 0;

  add(name: string, rule: string): void {
    if (this.#found.length < PROBLEMS) this.#found.push([name, rule]);
    else this.#more += 1;
  }

  /** @throws RequestError ERROR_VALIDATION, or the code given, where there is any */
  refuse(code: 'ERROR_VALIDATION' | 'ERROR_NOT_FOUND' | 'ERROR_CONFLICT' = 'ERROR_VALIDATION'): void {
    const [first] = this.#found;
    if (first === undefined) return;
    const details = Object.fromEntries(this.#found);
    if (this.#more > 0) details['…'] = `and ${this.#more} more`;
    const count = this.#found.length + this.#more;
    throw new RequestError(code, `${count} times something like: ${first.join(' ')}`, {
      details,
      mostDetails: PROBLEMS + 1,
    });
  }
}
