import { sqlState } from '../db/errors.ts';
import { NotAdmitted } from '../db/replicas/admissions.ts';
import { RequestError } from '../errors.ts';
import { answer } from './answer.ts';
import { contextOf } from './checked-request.ts';
import type { CheckedRequest, Sources } from './checked-request.ts';
import type { Reply } from './endpoint.ts';

/** A statement that took too long takes as long anywhere. */
const TIMED_OUT = '57014';

/**
 * Answers from a replica where the request only reads and one has what the caller wrote. Whatever the replica lacks or
 * refuses, the primary is asked, once; but not where it was the primary that refused.
 * @throws what `answer` does
 */
export async function answerAnywhere(checked: CheckedRequest, sources: Sources): Promise<Reply> {
  const { state } = checked;
  const reader = state.readOnly ? sources.database.readerFor?.(contextOf(checked)) : undefined;
  if (reader === undefined) return answer(checked, sources);
  try {
    return await answer(checked, { ...sources, database: reader });
  } catch (error) {
    if (error instanceof NotAdmitted) throw error.cause;
    if (isFinal(error)) throw error;
    return answer(checked, sources);
  }
}

/** What is found nowhere may only not have arrived yet; any other refusal of ours was decided on the primary. */
function isFinal(error: unknown): boolean {
  return error instanceof RequestError ? error.code !== 'ERROR_NOT_FOUND' : sqlState(error) === TIMED_OUT;
}
