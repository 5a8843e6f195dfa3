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
  let isOpen = true;
  let failure: unknown;
  let last: Promise<unknown> = Promise.resolve();
  let unsent: readonly Statement[] = [BEGIN, settings];

  const send = async (statements: readonly Statement[]): Promise<StatementResult | undefined> => {
    try {
      const first = unsent;
      unsent = [];
      const batch = {
        role,
        settings: first,
        statements,
        ...(first.length > 0 && { onSettings }),
      };
      const [results] = await session.send([batch], 'in transaction');
      return results?.at(-1);
    } catch (error) {
      failure ??= error;
      throw error;
    }
  };
  const run: StatementRunner = async (...statements) => {
    if (!isOpen) throw new Error('The transaction has ended: its statements must be awaited.');
    const sending = last.then(() => send(statements));
    last = sending.catch(() => undefined);
    const result = await sending;
    if (result === undefined) throw new Error('The server gave no result for a statement.');
    return result;
  };
  const attempt: SavepointStatementRunner = async (...statements) => {
    const before = failure;
    try {
      await run(SAVEPOINT, ...statements, RELEASE_SAVEPOINT);
      return undefined;
    } catch (error) {
      if (sqlState(error) === undefined) throw error;
      await run(ROLLBACK_TO_SAVEPOINT, RELEASE_SAVEPOINT);
      failure = before;
      return error as DatabaseError;
    }
  };

  const undo: UndoneWorkRunner = async (work) => {
    await run(SAVEPOINT);
    await work();
    await run(ROLLBACK_TO_SAVEPOINT, RELEASE_SAVEPOINT);
  };

  try {
    const value = await callback(run, attempt, undo);
    isOpen = false;
    await last;
    if (unsent.length > 0) await send([]);
    // In a failed transaction Postgres refuses DISABLE_TIMEOUT_STATEMENT, so only COMMIT is sent, which then rolls
    // back.
    const settings = failure === undefined ? [DISABLE_TIMEOUT_STATEMENT] : [];
    const [results] = await session.send([{ role, settings: settings, statements: [COMMIT] }], 'idle');
    if (results?.[0]?.tag !== 'COMMIT') {
      throw new Error('The transaction was rolled back: one of its statements failed.', {
        cause: failure,
      });
    }
    return value;
  } finally {
    isOpen = false;
    await last;
    // If ROLLBACK fails, the session closes the connection on release, and the caller gets the first error.
    if (session.inTransaction) await session.sendOne(ROLLBACK, role, 'idle').catch(() => undefined);
  }
}
