import type { PoolClient } from 'pg';
import type { Connection } from './connection.ts';
import { areSettingsRefused, DatabaseUnavailable, isGrantMissing, RightMissing } from './errors.ts';
import { STATEMENT_CANCEL_MARGIN_MS } from '../limits.ts';
import { isUnknownStatementName, sendPipeline } from './pipeline.ts';
import type { PipelineOutcome, RoleBatch, TaggedResult } from './pipeline.ts';
import { isReadOnlyError } from './primary.ts';
import type { StatementResult, Statement } from './statement.ts';
import { withTimeout } from '../timeout.ts';

const TRANSACTION_STATUS_CODES = { idle: 'I', 'in transaction': 'T' } as const;

type TransactionEndState = keyof typeof TRANSACTION_STATUS_CODES;

export interface RequestBatch extends RoleBatch {
  readonly settings: readonly Statement[];
  readonly onSettings?: ((result: StatementResult) => void) | undefined;
}

/** Holds a connection for one request; when the request ends, decides whether the pool may reuse the connection. */
export class Session {
  readonly #client: PoolClient & Connection;
  #usesPreparedNames: boolean;
  readonly #onNamesLost: () => void;
  #mustClose = false;
  #cancelled = false;
  readonly #startedAt: number;
  #deadline = Infinity;

  /**
   * @param startedAt when the request began to wait for the connection: its limits count from there
   * @param onNamesLost called when the server does not know the prepared statements any more
   */
  constructor(client: PoolClient & Connection, startedAt: number, usesPreparedNames: boolean, onNamesLost: () => void) {
    this.#client = client;
    this.#startedAt = startedAt;
    this.#usesPreparedNames = usesPreparedNames;
    this.#onNamesLost = onNamesLost;
  }

  /**
   * Calls `resolve` with the result of `use` and gives the connection back to the pool. Half a second before `limitMs`
   * is over, asks the server to cancel the statement. When `limitMs` is over, destroys the connection and calls
   * `reject` with DatabaseUnavailable. `reject` is also called with the errors of `use`. Uses callbacks instead of
   * promises to save time, because every request runs this code.
   */
  useWithLimit<T>(
    limitMs: number,
    use: (session: Session) => Promise<T>,
    resolve: (value: T) => void,
    reject: (error: Error) => void,
  ): void {
    this.#deadline = this.#startedAt + limitMs;
    let isOver = false;
    const end = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#release();
      settle();
    };
    const fail = (error: Error): void => {
      end(() => {
        reject(error);
      });
    };
    const destroy = (): void => {
      this.#client.destroy();
      fail(new DatabaseUnavailable('The database did not answer in time.'));
    };
    const cancel = (): void => {
      this.#cancelled = true;
      this.#client.askToCancel();
      timer = setTimeout(destroy, STATEMENT_CANCEL_MARGIN_MS);
    };
    let timer = setTimeout(cancel, this.remainingMs(limitMs - STATEMENT_CANCEL_MARGIN_MS));
    const succeed = (value: T): void => {
      // If a COMMIT is cancelled while it waits for a standby, Postgres reports success although the standby may lack
      // the data.
      if (this.#cancelled) fail(new DatabaseUnavailable('The database answered only once it was told to stop.'));
      else
        end(() => {
          resolve(value);
        });
    };
    try {
      use(this).then(succeed, fail);
    } catch (error) {
      fail(error as Error);
    }
  }

  remainingMs(limitMs: number): number {
    return Math.max(0, this.#startedAt + limitMs - performance.now());
  }

  /**
   * Returns the statement time-out: at most `longestMs`, and so short that it ends before the session sends a cancel
   * request. The time-out is at least 1 ms, because in Postgres 0 means no time-out.
   */
  statementTimeoutMs(longestMs: number): number {
    const remainingMs = this.#deadline - STATEMENT_CANCEL_MARGIN_MS - performance.now();
    return Math.max(1, Math.floor(Math.min(longestMs, remainingMs)));
  }

  /** Destroys the connection if an exchange of messages with the server takes longer than `limitMs`. */
  async withTimeout<T>(limitMs: number, exchange: Promise<T>): Promise<T> {
    return withTimeout(limitMs, exchange, () => {
      this.#cancelled = true;
      this.#client.destroy();
      return new DatabaseUnavailable('The database did not answer in time.');
    });
  }

  get inTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I';
  }

  /** Sends one pipeline. @throws DatabaseError, DatabaseUnavailable, RightMissing, or Error for another end state */
  send(batches: readonly RequestBatch[], endState: TransactionEndState): Promise<readonly (readonly TaggedResult[])[]> {
    const roleBatches = batches.flatMap(({ role, settings, statements }) => [
      // The API's login runs the statements that write the settings: Postgres would plan them again for each other
      // role.
      { role: 'login', statements: settings },
      { role, statements },
    ]);
    return sendPipeline(this.#client, roleBatches, this.#usesPreparedNames).then((outcome) =>
      this.#resultsOf(outcome, batches, endState),
    );
  }

  #resultsOf(
    { results, error, status }: PipelineOutcome,
    batches: readonly RequestBatch[],
    endState: TransactionEndState,
  ): readonly (readonly TaggedResult[])[] {
    if (error !== undefined) {
      // After a failover a pooler may connect to a read-only standby; the session then closes the connection.
      this.#mustClose ||= isReadOnlyError(error);
      if (isUnknownStatementName(error)) {
        this.#usesPreparedNames = false;
        this.#onNamesLost();
      }
      // Postgres refuses a request's settings if the login lacks a right or an earlier statement changed the role.
      if (haveSettingsFailed(results.length, batches) && areSettingsRefused(error)) {
        this.#mustClose = true;
        throw new RightMissing(error.message, { cause: error });
      }
      if (isGrantMissing(error)) throw new RightMissing(error.message, { cause: error });
      throw error;
    }
    if (status !== TRANSACTION_STATUS_CODES[endState]) {
      throw new Error(`The statements left the connection in state ${String(status)}.`);
    }
    let next = 0;
    return batches.map(({ settings, statements, onSettings }) => {
      const first = next + settings.length;
      const last = results[first - 1];
      if (last !== undefined) onSettings?.(last);
      next = first + statements.length;
      return results.slice(first, next);
    });
  }

  async sendOne(statement: Statement, role: string, endState: TransactionEndState): Promise<TaggedResult> {
    const [results] = await this.send([{ role, settings: [], statements: [statement] }], endState);
    const result = results?.[0];
    if (result === undefined) throw new Error('The server gave no result for a statement.');
    return result;
  }

  /**
   * Closes a connection that is still in a transaction, for example after a failed COMMIT: the next request would run
   * in that transaction. Closes a connection with a pending cancel request, because the cancel could hit the next
   * request's statement.
   */
  #release(): void {
    this.#client.release(this.#mustClose || this.#cancelled || this.inTransaction);
  }
}

/** True if the failed statement writes settings; `completed` is the number of statements before the failed one. */
function haveSettingsFailed(completed: number, batches: readonly RequestBatch[]): boolean {
  let remaining = completed;
  for (const { settings, statements } of batches) {
    if (remaining < settings.length) return true;
    remaining -= settings.length + statements.length;
    if (remaining < 0) return false;
  }
  return false;
}
