import type { DatabaseError } from 'pg-protocol';
import { sqlState } from './errors.ts';
import type { Session, RequestBatch } from './session.ts';
import { DISABLE_TIMEOUT_STATEMENT } from './settings.ts';
import type { StatementResult, Statement } from './statement.ts';

/** Sends statements of an explicit transaction in one round trip and returns the result of the last statement. */
export type StatementRunner = (...statements: readonly [...Statement[], Statement]) => Promise<StatementResult>;

/**
 * Runs statements under a savepoint. If Postgres refuses a statement, undoes all statements since the savepoint and
 * returns the error.
 */
export type SavepointStatementRunner = (...statements: readonly Statement[]) => Promise<DatabaseError | undefined>;

/** Runs `work` under a savepoint and undoes its statements, so that its row locks are released. */
export type UndoneWorkRunner = (work: () => Promise<void>) => Promise<void>;

export const BEGIN: Statement = { text: 'begin', values: [] };
export const COMMIT: Statement = { text: 'commit', values: [] };
export const ROLLBACK: Statement = { text: 'rollback', values: [] };
const SAVEPOINT: Statement = { text: 'savepoint attempt', values: [] };
const ROLLBACK_TO_SAVEPOINT: Statement = { text: 'rollback to savepoint attempt', values: [] };
const RELEASE_SAVEPOINT: Statement = { text: 'release savepoint attempt', values: [] };

export async function runTransaction<T>(
  session: Session,
  role: string,
  settings: Statement,
  callback: (run: StatementRunner, attempt: SavepointStatementRunner, undo: UndoneWorkRunner) => Promise<T>,
  onSettings?: RequestBatch['onSettings'],
): Promise<T> {
  let isTransactionOpen = true;
  let firstStatementError: unknown;
  let lastSendPromise: Promise<unknown> = Promise.resolve();
  let unsentFirstStatements: readonly Statement[] = [BEGIN, settings];

  const sendStatements = async (statements: readonly Statement[]): Promise<StatementResult | undefined> => {
    try {
      const statementsToSendFirst = unsentFirstStatements;
      unsentFirstStatements = [];
      const batchToSend = {
        role,
        settings: statementsToSendFirst,
        statements,
        ...(statementsToSendFirst.length > 0 && { onSettings }),
      };
      const [results] = await session.send([batchToSend], 'in transaction');
      return results?.at(-1);
    } catch (error) {
      firstStatementError ??= error;
      throw error;
    }
  };
  const run: StatementRunner = async (...statements) => {
    if (!isTransactionOpen) throw new Error('The transaction has ended: its statements must be awaited.');
    const sendPromise = lastSendPromise.then(() => sendStatements(statements));
    lastSendPromise = sendPromise.catch(() => undefined);
    const statementResult = await sendPromise;
    if (statementResult === undefined) throw new Error('The server gave no result for a statement.');
    return statementResult;
  };
  const attemptStatements: SavepointStatementRunner = async (...statements) => {
    const errorBeforeAttempt = firstStatementError;
    try {
      await run(SAVEPOINT, ...statements, RELEASE_SAVEPOINT);
      return undefined;
    } catch (error) {
      if (sqlState(error) === undefined) throw error;
      await run(ROLLBACK_TO_SAVEPOINT, RELEASE_SAVEPOINT);
      firstStatementError = errorBeforeAttempt;
      return error as DatabaseError;
    }
  };

  const undo: UndoneWorkRunner = async (work) => {
    await run(SAVEPOINT);
    await work();
    await run(ROLLBACK_TO_SAVEPOINT, RELEASE_SAVEPOINT);
  };

  try {
    const callbackResult = await callback(run, attemptStatements, undo);
    isTransactionOpen = false;
    await lastSendPromise;
    if (unsentFirstStatements.length > 0) await sendStatements([]);
    // In a failed transaction Postgres refuses DISABLE_TIMEOUT_STATEMENT, so only COMMIT is sent, which then rolls
    // back.
    const statementsBeforeCommit = firstStatementError === undefined ? [DISABLE_TIMEOUT_STATEMENT] : [];
    const [results] = await session.send([{ role, settings: statementsBeforeCommit, statements: [COMMIT] }], 'idle');
    if (results?.[0]?.tag !== 'COMMIT') {
      throw new Error('The transaction was rolled back: one of its statements failed.', {
        cause: firstStatementError,
      });
    }
    return callbackResult;
  } finally {
    isTransactionOpen = false;
    await lastSendPromise;
    // If ROLLBACK fails, the session closes the connection on release, and the caller gets the first error.
    if (session.inTransaction) await session.sendOne(ROLLBACK, role, 'idle').catch(() => undefined);
  }
}
