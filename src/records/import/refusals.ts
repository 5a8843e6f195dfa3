import { readRaisedRules, findConstraintName, sqlState } from '../../db/errors.ts';
import type { BrokenRuleByField } from '../../errors.ts';
import { findErrorCode } from '../../http/sqlstate.ts';
import type { RecordLine, ImportRules } from './checks.ts';
import { ProblemList } from './given.ts';
import { rule } from '../../problems.ts';
import { MAX_IMPORT_TRIALS, IMPORT_TRIAL_LINES } from '../../limits.ts';

interface Refusal {
  readonly code: 'ERROR_VALIDATION' | 'ERROR_CONFLICT';
  readonly rules: BrokenRuleByField;
}

/** Returns the code and the broken rule of each field; undefined unless the data caused the error. */
export function convertToRefusal(
  error: unknown,
  constraints: Readonly<Record<string, BrokenRuleByField>>,
): Refusal | undefined {
  const code = findErrorCode(sqlState(error) ?? '');
  if (code !== 'ERROR_VALIDATION' && code !== 'ERROR_CONFLICT') return undefined;
  const rules = constraints[findConstraintName(error) ?? ''] ?? readRaisedRules(error) ?? { '': rule('conflict') };
  return { code, rules };
}

/** Finds the lines that Postgres refuses: splits a refused batch in halves, and tries equal lines only once. */
export async function refuseWrongLines(
  error: unknown,
  given: readonly RecordLine[],
  { constraints = {} }: Pick<ImportRules, 'constraints'>,
  attempt: (lines: readonly RecordLine[]) => Promise<unknown>,
): Promise<void> {
  const first = convertToRefusal(error, constraints);
  if (first === undefined) return;
  const rules = constraints[findConstraintName(error) ?? ''];
  const fields = ['client_id', ...Object.keys(rules ?? {})];
  const valuesOf = (line: RecordLine): unknown =>
    rules === undefined ? line : JSON.stringify(fields.map((field) => line.body[field]));
  const distinct = [...new Map(given.map((line) => [valuesOf(line), line])).values()];
  const refusals = new Map<unknown, Refusal>();
  let trials = 0;
  const search = async (lines: readonly RecordLine[]): Promise<void> => {
    trials += 1;
    if (trials > MAX_IMPORT_TRIALS) return;
    const refusal = await attempt(lines).then(
      () => undefined,
      (thrown: unknown) => {
        const found = convertToRefusal(thrown, constraints);
        if (found === undefined) throw thrown;
        return found;
      },
    );
    const [line] = lines;
    if (refusal === undefined || line === undefined) return;
    if (lines.length === 1) {
      refusals.set(valuesOf(line), refusal);
      return;
    }
    const half = Math.ceil(lines.length / 2);
    await search(lines.slice(0, half));
    await search(lines.slice(half));
  };
  for (let from = 0; from < distinct.length; from += IMPORT_TRIAL_LINES)
    await search(distinct.slice(from, from + IMPORT_TRIAL_LINES));

  const problems = new ProblemList();
  for (const line of given)
    for (const [field, broken] of Object.entries(refusals.get(valuesOf(line))?.rules ?? {}))
      problems.add(line.row.position, field, broken);
  if (trials > MAX_IMPORT_TRIALS) problems.addUntriedLines();
  problems.throwIfAny(first.code);
}
