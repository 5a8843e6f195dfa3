import { problemsText, RequestError, type ErrorCode, type RowPosition, type Problem } from '../../errors.ts';
import { invalidBodyError } from '../../http/body.ts';
import { MAX_LISTED_PROBLEMS, MAX_BODY_ROWS } from '../../limits.ts';
import { rule, type ProblemRule } from '../../problems.ts';

export interface ReceivedRow {
  readonly value: unknown;
  readonly position: RowPosition;
  readonly cellProblems?: ReadonlyMap<string, ProblemRule>;
}

export function createTooManyRecordsError(): RequestError {
  return invalidBodyError(rule('too_many_records', { max: MAX_BODY_ROWS }));
}

export class ProblemList {
  readonly #problems: Problem[] = [];
  #omittedCount = 0;

  /** Adds a problem of a field, or of the whole row where `field` is empty. */
  add(position: RowPosition | undefined, field: string, broken: ProblemRule): void {
    if (this.#problems.length < MAX_LISTED_PROBLEMS) this.#problems.push({ field, rule: broken, position });
    else this.#omittedCount += 1;
  }

  /** @throws RequestError where a problem was added */
  throwIfAny(code: ErrorCode = 'ERROR_VALIDATION'): void {
    const [first] = this.#problems;
    if (first === undefined) return;
    const problemCount = this.#problems.length + this.#omittedCount;
    const omittedCountProblems =
      this.#omittedCount === 0 ? [] : [{ field: '…', rule: rule('more', { count: this.#omittedCount }) }];
    throw new RequestError(code, `${problemCount} times something like: ${problemsText([first])}`, {
      problems: [...this.#problems, ...omittedCountProblems],
    });
  }
}
