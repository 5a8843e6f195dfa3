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
  #hasUntriedLines = false;

  /** Adds a problem of a field, or of the whole row where `field` is empty. */
  add(position: RowPosition | undefined, field: string, broken: ProblemRule): void {
    if (this.#problems.length < MAX_LISTED_PROBLEMS) this.#problems.push({ field, rule: broken, position });
    else this.#omittedCount += 1;
  }

  /** The response says that further lines were not tried. */
  addUntriedLines(): void {
    this.#hasUntriedLines = true;
  }

  /** @throws RequestError where a problem was added, or lines were not tried */
  throwIfAny(code: ErrorCode = 'ERROR_VALIDATION'): void {
    const count = this.#problems.length + this.#omittedCount;
    const rest = this.#hasUntriedLines
      ? [{ field: '…', rule: rule('more.lines') }]
      : [{ field: '…', rule: rule('more', { count: this.#omittedCount }) }].slice(this.#omittedCount === 0 ? 1 : 0);
    const problems = [...this.#problems, ...rest];
    const [first] = problems;
    if (first === undefined) return;
    throw new RequestError(code, `${count} times something like: ${problemsText([first])}`, { problems });
  }
}
