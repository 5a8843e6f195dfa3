import type { Session, WithSettings } from './session.ts';
import { UNTIMED } from './settings.ts';
import type { Result, Statement } from './statement.ts';

/** Runs statements of an explicit transaction, those of a call in one exchange; gives what the last of them gave. */
export type Run = (...statements: readonly [...Statement[], Statement]) => Promise<Result>;

export const BEGIN: Statement = { text: 'begin', values: [] };
export const COMMIT: Statement = { text: 'commit', values: [] };
export const ROLLBACK: Statement = { text: 'rollback', values: [] };

/** One explicit transaction on one session; `Database.transaction` says what it promises. */
export async function runTransaction<T>(
  session: Session,
  role: string,
  settings: Statement,
  work: (run: Run) => Promise<T>,
  onSettings?: WithSettings['onSettings'],
): Promise<T> {
  let open = true;
  let failure: unknown;
  let queue: Promise<unknown> = Promise.resolve();

  /** The first statements go with what begins the transaction. */
  let beginning: readonly Statement[] = [BEGIN, settings];

  const send = async (statements: readonly Statement[]): Promise<Result | undefined> => {
    try {
      const first = beginning;
      beginning = [];
      const noting = first.length > 0 ? { onSettings } : {};
      const part = { role, settings: first, statements, ...noting };
      const [results] = await session.send([part], 'in transaction');
      return results?.at(-1);
    } catch (error) {
      failure ??= error;
      throw error;
    }
  };
  const run: Run = async (...statements) => {
    if (!open) throw new Error('The transaction has ended: its statements must be awaited.');
    const sent = queue.then(() => send(statements));
    queue = sent.catch(() => undefined);
    const result = await sent;
    if (result === undefined) throw new Error('The server gave no result for a statement.');
    return result;
  };

  try {
    const value = await work(run);
    open = false;
    await queue;
    if (beginning.length > 0) await send([]);
    // After a failed statement it is refused, and COMMIT alone succeeds all the same, and rolls back.
    const before = failure === undefined ? [UNTIMED] : [];
    const [results] = await session.send([{ role, settings: before, statements: [COMMIT] }], 'idle');
    if (results?.[0]?.tag !== 'COMMIT') {
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
