import type { PoolClient } from 'pg';
import type { Connection } from './connection.ts';
import { areSettingsRefused, DatabaseUnavailable, isGrantMissing, RightMissing } from './errors.ts';
import { CANCEL_BEFORE_MS } from '../limits.ts';
import { isNameElsewhere, sendPipeline } from './pipeline.ts';
import { saysReadOnly } from './primary.ts';
import type { Outcome, Part, TaggedResult } from './pipeline.ts';
import type { Result, Statement } from './statement.ts';
import { within } from '../within.ts';

export type Left = 'idle' | 'in transaction';

const STATUS = { idle: 'I', 'in transaction': 'T' } as const;

/** Statements, and the settings under which they are run. */
export interface WithSettings extends Part {
  readonly settings: readonly Statement[];
  readonly onSettings?: ((result: Result) => void) | undefined;
}

/** A connection while one request has it, and the judgement whether another may have it afterwards. */
export class Session {
  readonly #client: PoolClient & Connection;
  #prepared: boolean;
  readonly #namesAreElsewhere: () => void;
  #settingsRefused = false;
  #cancelled = false;
  readonly #since: number;
  #until = Infinity;
  /** It leads to a server that takes writes no more, as a pooler's may that was changed behind it. */
  #readsOnly = false;

  /**
   * `since` is when its request began to wait for the connection: all its limits count from there. `namesAreElsewhere` is
   * told when what was prepared on the connection is not there any more.
   */
  constructor(
    client: PoolClient & Connection,
    since: number,
    prepared: boolean,
    namesAreElsewhere: () => void,
  ) {
    this.#client = client;
    this.#since = since;
    this.#prepared = prepared;
    this.#namesAreElsewhere = namesAreElsewhere;
  }

  /**
   * Resolves with what `use` gives, unless it takes longer. Then the server is asked to cancel what it does, and half a
   * second later the connection is destroyed, whatever waits for it: an answer, the end of a transaction, or our own next
   * statement. Either way it is given back to the pool. Rejects with DatabaseUnavailable, and whatever `use` throws.
   * Both are functions and no promise, because every request comes through here.
   */
  within<T>(
    limitMs: number,
    use: (session: Session) => Promise<T>,
    resolve: (value: T) => void,
    reject: (error: Error) => void,
  ): void {
    this.#until = this.#since + limitMs;
    let isOver = false;
    const end = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#release();
      settle();
    };
    const failed = (error: Error): void => {
      end(() => {
        reject(error);
      });
    };
    const late = (): void => {
      this.#client.destroy();
      failed(new DatabaseUnavailable('The database did not answer in time.'));
    };
    const cancel = (): void => {
      this.#cancelled = true;
      this.#client.askToCancel();
      timer = setTimeout(late, CANCEL_BEFORE_MS);
    };
    let timer = setTimeout(cancel, this.left(limitMs - CANCEL_BEFORE_MS));
    const succeeded = (value: T): void => {
      // A commit that waits for a standby is called a success when it is cancelled, although the standby lacks it.
      if (this.#cancelled)
        failed(new DatabaseUnavailable('The database answered only once it was told to stop.'));
      else
        end(() => {
          resolve(value);
        });
    };
    try {
      use(this).then(succeeded, failed);
    } catch (error) {
      failed(error as Error);
    }
  }

  /** What is left of a time that began with the wait for the connection. */
  left(limitMs: number): number {
    return Math.max(0, this.#since + limitMs - performance.now());
  }

  /** The time-out for a statement: no more than `longestMs`, and over before the server is asked to cancel. 0 would be none. */
  timeoutMs(longestMs: number): number {
    const left = this.#until - CANCEL_BEFORE_MS - performance.now();
    return Math.max(1, Math.floor(Math.min(longestMs, left)));
  }

  /** What an exchange gives, unless it takes longer, as of a server that is mute: then the connection is destroyed. */
  async soon<T>(limitMs: number, exchange: Promise<T>): Promise<T> {
    return within(limitMs, exchange, () => {
      this.#cancelled = true;
      this.#client.destroy();
      return new DatabaseUnavailable('The database did not answer in time.');
    });
  }

  get inTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I';
  }

  /**
   * One pipeline: one result per statement of each part.
   * @throws DatabaseError, DatabaseUnavailable, RightMissing, or an Error when the connection is not left as it should be.
   */
  send(parts: readonly WithSettings[], leaves: Left): Promise<readonly (readonly TaggedResult[])[]> {
    const sent = parts.flatMap(({ role, settings, statements }) => [
      // Settings are made by the login: their plans are the same whatever role comes of them.
      { role: 'login', statements: settings },
      { role, statements },
    ]);
    return sendPipeline(this.#client, sent, this.#prepared).then((outcome) =>
      this.#resultsOf(outcome, parts, leaves),
    );
  }

  #resultsOf(
    { results, error, status }: Outcome,
    parts: readonly WithSettings[],
    leaves: Left,
  ): readonly (readonly TaggedResult[])[] {
    if (error !== undefined) {
      this.#readsOnly ||= saysReadOnly(error);
      if (isNameElsewhere(error)) {
        this.#prepared = false;
        this.#namesAreElsewhere();
      }
      // Not the caller's doing, so it must not be answered as a refusal: either the login may not do what
      // it must, or something before this request changed the session, which the next connection mends.
      if (isOfSettings(results.length, parts) && areSettingsRefused(error)) {
        this.#settingsRefused = true;
        throw new RightMissing(error.message, { cause: error });
      }
      if (isGrantMissing(error)) throw new RightMissing(error.message, { cause: error });
      throw error;
    }
    if (status !== STATUS[leaves]) {
      throw new Error(`The statements left the connection in state ${String(status)}.`);
    }
    let next = 0;
    return parts.map(({ settings, statements, onSettings }) => {
      const first = next + settings.length;
      const told = results[first - 1];
      if (told !== undefined) onSettings?.(told);
      next = first + statements.length;
      return results.slice(first, next);
    });
  }

  /** One statement of a transaction whose settings are made already. */
  async sendOne(statement: Statement, role: string, leaves: Left): Promise<TaggedResult> {
    const [results] = await this.send([{ role, settings: [], statements: [statement] }], leaves);
    const result = results?.[0];
    if (result === undefined) throw new Error('The server gave no result for a statement.');
    return result;
  }

  /**
   * Gives the connection back only if the server said last that it is outside any transaction. Any other is
   * closed, which ends its transaction too: after a COMMIT or ROLLBACK that failed, the next request would run
   * inside what is left of this one. So is one that the server was asked to cancel something for: it might cancel what
   * comes next. One that was lost the pool drops by itself.
   */
  #release(): void {
    this.#client.release(this.#settingsRefused || this.#cancelled || this.#readsOnly || this.inTransaction);
  }
}

/** Whether the statement after so many was one of the settings. */
function isOfSettings(completed: number, parts: readonly WithSettings[]): boolean {
  let left = completed;
  for (const { settings, statements } of parts) {
    if (left < settings.length) return true;
    left -= settings.length + statements.length;
    if (left < 0) return false;
  }
  return false;
}
