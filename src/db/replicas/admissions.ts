import { LRUCache } from 'lru-cache';
import type { Caller } from '../../identity/caller.ts';
import type { Database } from '../database.ts';
import type { Admission } from '../request-settings.ts';

/** The primary refuses the caller, or cannot be asked; `cause` is why. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted';
}

/** Of so many callers it is kept what was said of them last; of any other the primary is asked first. */
const KEPT = 10_000;

/** What the primary says of callers, and what it said of each of them last. */
export class Admissions {
  readonly #primary: Pick<Database, 'callBare'>;
  readonly #last = new LRUCache<string, Admission>({ max: KEPT });

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
    const admission = await this.#ask(caller).catch((cause: unknown) => {
      this.#last.delete(caller.subject);
      throw new NotAdmitted('The primary does not admit the caller.', { cause });
    });
    if (admission === undefined) this.#last.delete(caller.subject);
    else this.#last.set(caller.subject, admission);
    return admission;
  }

  async #ask({ subject, issuedAt, accessDigest, userId }: Caller): Promise<Admission | undefined> {
    const { rows } = await this.#primary.callBare({
      text: 'select user_id, epoch, wrote_until from app.admit($1, to_timestamp($2), $3, $4)',
      values: [subject, issuedAt, accessDigest, userId],
    });
    const [id, epoch, wroteUntil] = rows[0] ?? [];
    if (id == null || epoch == null || wroteUntil == null) return undefined;
    return { userId: id, epoch, wroteUntil };
  }
}
