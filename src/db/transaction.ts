import type { DatabaseError } from 'pg-protocol';
import { sqlState } from './errors.ts';
import type { Session, RequestBatch } from './session.ts';
import { NO_STATEMENT_TIMEOUT } from './settings.ts';
import type { Result, Statement } from './statement.ts';

/** Sends statements of an explicit transaction in one round trip and returns the result of the last statement. */
export type RunStatements = (...statements: readonly [...Statement[], Statement]) => Promise<Result>;

/**
 * Runs statements under a savepoint. If Postgres refuses a statement, undoes all statements since the savepoint and
 * returns the error.
 */
export type AttemptStatements = (...statements: readonly Statement[]) => Promise<DatabaseError | undefined>;

export const BEGIN: Statement = { text: 'begin', values: [] };
export const COMMIT: Statement = { text: 'commit', values: [] };
export const ROLLBACK: Statement = { text: 'rollback', values: [] };
const SAVEPOINT: Statement = { text: 'savepoint attempt', values: [] };
const ROLLBACK_TO_SAVEPOINT: Statement = { text: 'rollback to savepoint attempt', values: [] };
const RELEASE: Statement = { text: 'release savepoint attempt', values: [] };

export async function runTransaction<T>(
  session: Session,
  role: string,
  settings: Statement,
  callback: (run: RunStatements, attempt: AttemptStatements) => Promise<T>,
  onSettings?: RequestBatch['onSettings'],
): Promise<T> {
  let isOpen = true;
  let failure: unknown;
  let queue: Promise<unknown> = Promise.resolve();
  let firstStatements: readonly Statement[] = [BEGIN, settings];

  const send = async (statements: readonly Statement[]): Promise<Result | undefined> => {
    try {
      const leadingStatements = firstStatements;
      firstStatements = [];
      const part = {
        role,
        settings: leadingStatements,
        statements,
        ...(leadingStatements.length > 0 && { onSettings }),
      };
      const [results] = await session.send([part], 'in transaction');
      return results?.at(-1);
    } catch (error) {
      failure ??= error;
      throw error;
    }
  };
  const run: RunStatements = async (...statements) => {
    if (!isOpen) throw new Error('The transaction has ended: its statements must be awaited.');
    const sent = queue.then(() => send(statements));
    queue = sent.catch(() => undefined);
    const result = await sent;
    if (result === undefined) throw new Error('The server gave no result for a statement.');
    return result;
  };
  const attempt: AttemptStatements = async (...statements) => {
    const earlierFailure = failure;
    try {
      await run(SAVEPOINT, ...statements, RELEASE);
      return undefined;
    } catch (error) {
      if (sqlState(error) === undefined) throw error;
      await run(ROLLBACK_TO_SAVEPOINT, RELEASE);
      failure = earlierFailure;
      return error as DatabaseError;
    }
  };

  try {
    const value = await callback(run, attempt);
    isOpen = false;
    await queue;
    if (firstStatements.length > 0) await send([]);
    // A failed transaction gets COMMIT without NO_STATEMENT_TIMEOUT: Postgres runs COMMIT as a rollback there, but
    // refuses every other statement.
    const precedingStatements = failure === undefined ? [NO_STATEMENT_TIMEOUT] : [];
    const [results] = await session.send(
      [{ role, settings: precedingStatements, statements: [COMMIT] }],
      'idle',
    );
    if (results?.[0]?.tag !== 'COMMIT') {
      throw new Error('The transaction was rolled back: one of its statements failed.', { cause: failure });
    }
    return value;
  } finally {
    isOpen = false;
    await queue;
    // If ROLLBACK fails, the session closes the connection on release, and the caller gets the first error.
    if (session.inTransaction) await session.sendOne(ROLLBACK, role, 'idle').catch(() => undefined);
  }
}
