import { problemsText, RequestError, type ErrorCode, type RowPosition, type Problem } from '../../errors.ts';
import { invalidBodyError } from '../../http/body.ts';
import { MAX_LISTED_PROBLEMS, MAX_BODY_ROWS } from '../../limits.ts';
import { rule, type Rule } from '../../problems.ts';

export interface GivenRow {
  readonly value: unknown;
  readonly place: RowPosition;
  readonly misread?: ReadonlyMap<string, Rule>;
}

export function tooMany(): RequestError {
  return invalidBodyError(rule('too_many_records', { max: MAX_BODY_ROWS }));
}

export class Problems {
  readonly #found: Problem[] = [];
  #more = 0;

  /** Adds a problem of a field, or of the whole row where `field` is empty. */
  add(position: RowPosition | undefined, field: string, broken: Rule): void {
    if (this.#found.length < MAX_LISTED_PROBLEMS) this.#found.push({ field, rule: broken, position });
    else this.#more += 1;
  }

  /** @throws RequestError where a problem was added */
  refuse(code: ErrorCode = 'ERROR_VALIDATION'): void {
    const [first] = this.#found;
    if (first === undefined) return;
    const count = this.#found.length + this.#more;
    const more = this.#more === 0 ? [] : [{ field: '…', rule: rule('more', { count: this.#more }) }];
    throw new RequestError(code, `${count} times something like: ${problemsText([first])}`, {
      problems: [...this.#found, ...more],
    });
  }
}
