import type { DatabaseError } from 'pg-protocol';
import { sqlState } from './errors.ts';
import type { Session, RequestBatch } from './session.ts';
import { DISABLE_TIMEOUT_STATEMENT } from './settings.ts';
import { assertDataStatements, type StatementResult, type Statement } from './statement.ts';

/** Sends statements of an explicit transaction in one round trip and returns the result of the last statement. */
export type StatementRunner = (...statements: readonly [...Statement[], Statement]) => Promise<StatementResult>;

/**
 * Runs statements under a savepoint. If Postgres refuses a statement, undoes all statements since the savepoint and
 * returns the error.
 */
export type SavepointStatementRunner = (...statements: readonly Statement[]) => Promise<DatabaseError | undefined>;

/** Runs `work` under a savepoint and undoes its statements, so that its row locks are released. */
export type UndoneWorkRunner = (work: () => Promise<void>) => Promise<void>;

export type TransactionCallback<T> = (
  run: StatementRunner,
  attempt: SavepointStatementRunner,
  undo: UndoneWorkRunner,
) => Promise<T>;

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
  callback: TransactionCallback<T>,
  onSettings?: RequestBatch['onSettings'],
): Promise<T> {
  const transaction = new Transaction(session, role, settings, onSettings);
  try {
    const result = await callback(
      async (...statements) => {
        assertDataStatements(statements);
        return transaction.run(...statements);
      },
      async (...statements) => {
        assertDataStatements(statements);
        return transaction.attempt(...statements);
      },
      (work) => transaction.undo(work),
    );
    await transaction.commit();
    return result;
  } finally {
    await transaction.end();
  }
}

class Transaction {
  readonly #session: Session;
  readonly #role: string;
  readonly #onSettings: RequestBatch['onSettings'];
  #isOpen = true;
  /** The error of the first statement that failed outside an attempt. */
  #failure: unknown;
  #lastSent: Promise<unknown> = Promise.resolve();
  #unsent: readonly Statement[];

  constructor(session: Session, role: string, settings: Statement, onSettings: RequestBatch['onSettings']) {
    this.#session = session;
    this.#role = role;
    this.#unsent = [BEGIN, settings];
    this.#onSettings = onSettings;
  }

  async run(...statements: readonly Statement[]): Promise<StatementResult> {
    if (!this.#isOpen) throw new Error('The transaction has ended: its statements must be awaited.');
    const sending = this.#lastSent.then(() => this.#send(statements));
    this.#lastSent = sending.catch(() => undefined);
    const result = await sending;
    if (result === undefined) throw new Error('The server gave no result for a statement.');
    return result;
  }

  async attempt(...statements: readonly Statement[]): Promise<DatabaseError | undefined> {
    const earlier = this.#failure;
    try {
      await this.run(SAVEPOINT, ...statements, RELEASE_SAVEPOINT);
      return undefined;
    } catch (error) {
      if (sqlState(error) === undefined) throw error;
      await this.run(ROLLBACK_TO_SAVEPOINT, RELEASE_SAVEPOINT);
      this.#failure = earlier;
      return error as DatabaseError;
    }
  }

  async undo(work: () => Promise<void>): Promise<void> {
    await this.run(SAVEPOINT);
    await work();
    await this.run(ROLLBACK_TO_SAVEPOINT, RELEASE_SAVEPOINT);
  }

  async commit(): Promise<void> {
    this.#isOpen = false;
    await this.#lastSent;
    if (this.#unsent.length > 0) await this.#send([]);
    // In a failed transaction Postgres refuses DISABLE_TIMEOUT_STATEMENT, so only COMMIT is sent, which then rolls
    // back.
    const settings = this.#failure === undefined ? [DISABLE_TIMEOUT_STATEMENT] : [];
    const [results] = await this.#session.send([{ role: this.#role, settings, statements: [COMMIT] }], 'idle');
    if (results?.[0]?.tag !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements failed.', { cause: this.#failure });
  }

  async end(): Promise<void> {
    this.#isOpen = false;
    await this.#lastSent;
    // If ROLLBACK fails, the session closes the connection on release, and the caller gets the first error.
    if (this.#session.inTransaction) await this.#session.sendOne(ROLLBACK, this.#role, 'idle').catch(() => undefined);
  }

  async #send(statements: readonly Statement[]): Promise<StatementResult | undefined> {
    const settings = this.#unsent;
    this.#unsent = [];
    const onSettings = settings.length > 0 ? this.#onSettings : undefined;
    try {
      const [results] = await this.#session.send(
        [{ role: this.#role, settings, statements, onSettings }],
        'in transaction',
      );
      return results?.at(-1);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }
}
