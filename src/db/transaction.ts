import type { Session } from './session.ts';
import type { Result, Statement } from './statement.ts';

/** Runs one statement of an explicit transaction: one exchange each, in the order of the calls. */
export type Run = (statement: Statement) => Promise<Result>;

const BEGIN: Statement = { text: 'begin', values: [] };
const COMMIT: Statement = { text: 'commit', values: [] };
const ROLLBACK: Statement = { text: 'rollback', values: [] };

/** One explicit transaction on one session; `Database.transaction` says what it promises. */
export async function runTransaction<T>(
  session: Session,
  role: string,
  settings: Statement,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  let open = true;
  let failure: unknown;
  let queue: Promise<unknown> = Promise.resolve();

  const send = async (statement: Statement): Promise<Result> => {
    try {
      return await session.sendOne(statement, role, 'in transaction');
    } catch (error) {
      failure ??= error;
      throw error;
    }
  };
  const run: Run = (statement) => {
    if (!open) return Promise.reject(new Error('The transaction has ended: its statements must be awaited.'));
    const result = queue.then(() => send(statement));
    queue = result.catch(() => undefined);
    return result;
  };

  try {
    await session.send([{ role, settings: [BEGIN, settings], statements: [] }], 'in transaction');
    const value = await work(run);
    open = false;
    await queue;
    const { tag } = await session.sendOne(COMMIT, role, 'idle');
    // After a failed statement COMMIT succeeds all the same, and rolls back.
    if (tag !== 'COMMIT') {
      throw new Error('The transaction was rolled back: one of its statements failed.', { cause: failure });
    }
    return value;
  } finally {
    open = false;
    await queue;
    await rollBack(session, role);
  }
}

/** Where even this fails the connection is closed on release; the error on its way to the caller says more. */
async function rollBack(session: Session, role: string): Promise<void> {
  if (session.inTransaction) {
    await session.sendOne(ROLLBACK, role, 'idle').catch(() => undefined);
  }
}
