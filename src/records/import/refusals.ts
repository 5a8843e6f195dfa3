import { readConflictRules, findConstraintName, sqlState } from '../../db/errors.ts';
import type { BrokenRuleByField as Broken } from '../../errors.ts';
import { findErrorCode } from '../../http/sqlstate.ts';
import type { RecordLine, ImportRules } from './checks.ts';
import { ProblemList } from './given.ts';
import { rule } from '../../problems.ts';
import { MAX_IMPORT_TRIALS, IMPORT_TRIAL_LINES } from '../../limits.ts';

interface Refusal {
  readonly code: 'ERROR_VALIDATION' | 'ERROR_CONFLICT';
  readonly rules: Broken;
}

/**
 * Converts a Postgres error to an error code and the broken rule of each field; returns undefined unless the imported
 * data caused the error.
 */
export function convertToRefusal(error: unknown, constraints: Readonly<Record<string, Broken>>): Refusal | undefined {
  const code = findErrorCode(sqlState(error) ?? '');
  if (code !== 'ERROR_VALIDATION' && code !== 'ERROR_CONFLICT') return undefined;
  const rules = constraints[findConstraintName(error) ?? ''] ?? readConflictRules(error) ?? { '': rule('conflict') };
  return { code, rules };
}

/** Finds the lines that Postgres refuses: splits a refused batch in halves, and tries equal lines only once. */
export async function refuseWrongLines(
  error: unknown,
  given: readonly RecordLine[],
  { constraints = {} }: Pick<ImportRules, 'constraints'>,
  attempt: (lines: readonly RecordLine[]) => Promise<unknown>,
): Promise<void> {
  const firstRefusal = convertToRefusal(error, constraints);
  if (firstRefusal === undefined) return;
  const constraintRules = constraints[findConstraintName(error) ?? ''];
  const constrainedFields = ['client_id', ...Object.keys(constraintRules ?? {})];
  const pickConstrainedValues = (line: RecordLine): unknown =>
    constraintRules === undefined ? line : JSON.stringify(constrainedFields.map((field) => line.body[field]));
  const distinctLines = [...new Map(given.map((line) => [pickConstrainedValues(line), line])).values()];
  const refusalsByValues = new Map<unknown, Refusal>();
  let insertTrialCount = 0;
  const findRefusedLines = async (lines: readonly RecordLine[]): Promise<void> => {
    insertTrialCount += 1;
    if (insertTrialCount > MAX_IMPORT_TRIALS) return;
    const batchRefusal = await attempt(lines).then(
      () => undefined,
      (thrown: unknown) => {
        const foundRefusal = convertToRefusal(thrown, constraints);
        if (foundRefusal === undefined) throw thrown;
        return foundRefusal;
      },
    );
    const [line] = lines;
    if (batchRefusal === undefined || line === undefined) return;
    if (lines.length === 1) {
      refusalsByValues.set(pickConstrainedValues(line), batchRefusal);
      return;
    }
    const firstHalfLength = Math.ceil(lines.length / 2);
    await findRefusedLines(lines.slice(0, firstHalfLength));
    await findRefusedLines(lines.slice(firstHalfLength));
  };
  for (let from = 0; from < distinctLines.length; from += IMPORT_TRIAL_LINES)
    await findRefusedLines(distinctLines.slice(from, from + IMPORT_TRIAL_LINES));

  const lineProblems = new ProblemList();
  for (const line of given)
    for (const [field, broken] of Object.entries(refusalsByValues.get(pickConstrainedValues(line))?.rules ?? {}))
      lineProblems.add(line.row.position, field, broken);
  if (insertTrialCount > MAX_IMPORT_TRIALS) lineProblems.addUntriedLines();
  lineProblems.throwIfAny(firstRefusal.code);
}
