import { RequestError } from '../errors.ts';
import { PROBLEMS } from '../limits.ts';

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
