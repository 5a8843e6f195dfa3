import { RequestError } from '../../errors.ts';
import { malformed } from '../../http/body.ts';
import { PROBLEMS, ROWS } from '../../limits.ts';

export interface GivenRow {
  readonly value: unknown;
  /** The name in an error: `line 17, amount` of CSV, `16.amount` of an array. */
  name(field?: string): string;
  readonly misread?: ReadonlyMap<string, string>;
}

export function tooMany(): RequestError {
  return malformed(`must have at most ${ROWS} records, and lines without anything count`);
}

export class Problems {
  readonly #found: [string, string][] = [];
  #more = 0;

  add(name: string, rule: string): void {
    if (this.#found.length < PROBLEMS) this.#found.push([name, rule]);
    else this.#more += 1;
  }

  /** @throws RequestError where a problem was added */
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
