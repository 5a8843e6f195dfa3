import { LRUCache } from 'lru-cache';
import type { Caller } from '../../identity/caller.ts';
import type { Database } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { Admission } from '../request-settings.ts';
import type { Result, Statement } from '../statement.ts';

/** The primary refuses the caller, or cannot be asked; `cause` is why. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted';
}

/** Of so many callers it is kept what was said of them last; of any other the primary is asked first. */
const KEPT = 10_000;
/** So many are asked about in one exchange. */
const TOGETHER = 50;
/** Whoever comes while an exchange is under way waits for the next one, but no longer than this for one that is slow. */
const PATIENCE_MS = 20;
const MOST_WAITING = 1_000;

interface Waiting {
  readonly statement: Statement;
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * What the primary says of callers, and what it said of each of them last. Those who ask at the same time are asked about
 * in one exchange, as most of what one costs the primary is the exchange.
 */
export class Admissions {
  readonly #primary: Pick<Database, 'callBare'>;
  readonly #last = new LRUCache<string, Admission>({ max: KEPT });
  readonly #waiting: Waiting[] = [];
  /** What the next exchange waits for. */
  #patience: NodeJS.Timeout | undefined;

  constructor(primary: Pick<Database, 'callBare'>) {
    this.#primary = primary;
  }

  /** A guess at what it says now; undefined for a caller whom it did not admit when it was asked last. */
  last({ subject }: Caller): Admission | undefined {
    return this.#last.get(subject);
  }

  /**
   * What it says of the caller; undefined where it has just become the primary.
   * @throws NotAdmitted
   */
  async ask(caller: Caller): Promise<Admission | undefined> {
    const { subject } = caller;
    const result = await this.#queue(statementFor(caller)).catch((cause: unknown) => {
      this.#last.delete(subject);
      throw new NotAdmitted('The primary does not admit the caller.', { cause });
    });
    const [userId, epoch, wroteUntil] = result?.rows[0] ?? [];
    if (userId == null || epoch == null || wroteUntil == null) {
      this.#last.delete(subject);
      return undefined;
    }
    const admission = { userId, epoch, wroteUntil };
    this.#last.set(subject, admission);
    return admission;
  }

  async #queue(statement: Statement): Promise<Result | undefined> {
    if (this.#waiting.length >= MOST_WAITING)
      throw new DatabaseUnavailable('Too many wait for the primary to admit them.');
    const { promise, resolve, reject } = Promise.withResolvers<Result | undefined>();
    this.#waiting.push({ statement, resolve, reject });
    if (this.#patience === undefined) this.#exchange();
    return promise;
  }

  /** Asks about those who wait, and about whoever comes meanwhile once that is done, or takes too long. */
  #exchange(): void {
    const asked = this.#waiting.splice(0, TOGETHER);
    if (asked.length === 0) return;
    const next = (): void => {
      if (this.#patience !== patience) return;
      clearTimeout(patience);
      this.#patience = undefined;
      this.#exchange();
    };
    const patience = setTimeout(next, PATIENCE_MS);
    this.#patience = patience;
    void this.#settle(asked).finally(next);
  }

  /** No caller fails for another one's sake: where the server refuses one of them, each is asked about alone. */
  async #settle(asked: readonly Waiting[]): Promise<void> {
    try {
      const results = await this.#primary.callBare(asked.map(({ statement }) => statement));
      asked.forEach(({ resolve }, index) => {
        resolve(results[index]);
      });
    } catch (error) {
      if (asked.length > 1 && !(error instanceof DatabaseUnavailable))
        await Promise.all(asked.map((one) => this.#settle([one])));
      else for (const { reject } of asked) reject(error);
    }
  }
}

function statementFor({ subject, issuedAt, accessDigest, userId }: Caller): Statement {
  return {
    text: 'select user_id, epoch, wrote_until from app.admit($1, to_timestamp($2), $3, $4)',
    values: [subject, issuedAt, accessDigest, userId],
  };
}
