import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from './database.ts';
import type { Statement } from './statement.ts';

/** A 401 or 403, as the audit log keeps it. */
export interface Refusal {
  readonly requestId: string;
  /** The token's subject, or `anonymous`. */
  readonly actor: string;
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId?: string;
  /** The client whose data the refusal protected. */
  readonly clientContext?: string;
  readonly reason: string;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/** A record says when the refusal was, not when the database was there again to take it. */
interface Kept extends Refusal {
  readonly refusedAt: Date;
}

export interface AuditWriter {
  /**
   * Writes the record in a transaction of its own. Resolves when it is stored or, where the database does not
   * answer in time, when it is logged and kept to be stored later: a refusal does not wait for an outage to
   * end. Never rejects.
   */
  record(refusal: Refusal): Promise<void>;
  /** Writes what is still kept, if the database answers in time. To be called before the database is closed. */
  close(): Promise<void>;
}

/** How long an answer waits for its record: once others are kept, an outage is known and hardly waited for. */
const PATIENCE_MS = 2_000;
const OUTAGE_PATIENCE_MS = 100;
/** Some megabytes; whatever is beyond stands in the log alone. */
const BACKLOG_LIMIT = 10_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;

/** Records refusals through the API's own function, each exactly once, also across an outage. */
export function createAuditWriter({
  database,
  log,
}: {
  database: Pick<Database, 'callAsLogin'>;
  log: Logger;
}): AuditWriter {
  /** Kept with their ids, oldest first: a record that was stored although its answer was lost is stored once. */
  const backlog = new Map<string, Kept>();
  let flushing: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;

  function keep(id: string, refusal: Kept, reason: unknown): void {
    log.error({ err: reason, refusal: { id, ...refusal } }, 'a refusal could not be recorded yet');
    if (backlog.size < BACKLOG_LIMIT) backlog.set(id, refusal);
    retryLater();
  }

  function retryLater(): void {
    retry ??= setTimeout(() => {
      retry = undefined;
      void flush();
    }, retryMs).unref();
  }

  async function flush(): Promise<void> {
    if (backlog.size === 0) return;
    flushing ??= writeBacklog().finally(() => (flushing = undefined));
    await flushing;
  }

  /** One by one, since the database has just come back; stops at the first that fails. */
  async function writeBacklog(): Promise<void> {
    for (const [id, refusal] of backlog) {
      try {
        await database.callAsLogin(statement(id, refusal));
        backlog.delete(id);
        retryMs = FIRST_RETRY_MS;
      } catch {
        // To the end of the line: one that fails for a reason of its own must not hold up the others.
        if (backlog.delete(id)) backlog.set(id, refusal);
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
        retryLater();
        return;
      }
    }
    log.info('every refusal that was kept is recorded');
  }

  return {
    async record(answered) {
      const id = randomUUID();
      const refusal = { ...answered, refusedAt: new Date() };
      const written = database.callAsLogin(statement(id, refusal));
      const failure = await outcome(written, backlog.size === 0 ? PATIENCE_MS : OUTAGE_PATIENCE_MS);
      if (failure === undefined) {
        void flush();
      } else {
        keep(id, refusal, failure);
        // Given up by the answer only: it may still be stored.
        written.then(
          () => backlog.delete(id),
          () => undefined,
        );
      }
    },
    async close() {
      clearTimeout(retry);
      await outcome(flush(), PATIENCE_MS);
      clearTimeout(retry);
      if (backlog.size > 0) log.error({ refusals: backlog.size }, 'refusals stay in the log alone');
    },
  };
}

/** What went wrong, or undefined once all is well; being late is an error like any other. Never rejects. */
async function outcome(work: Promise<unknown>, patienceMs: number): Promise<Error | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<Error>();
  const timer = setTimeout(() => {
    resolve(new Error('The database did not answer in time.'));
  }, patienceMs);
  const done = work.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  const failure = await Promise.race([done, late]);
  clearTimeout(timer);
  return failure;
}

function statement(id: string, refusal: Kept): Statement {
  return {
    text: 'select app.record_refusal($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
    values: [
      id,
      refusal.requestId,
      refusal.actor,
      refusal.action,
      refusal.resourceType,
      refusal.resourceId ?? null,
      refusal.clientContext ?? null,
      refusal.reason,
      refusal.ipAddress,
      refusal.userAgent,
      refusal.refusedAt.toISOString(),
    ].map((value) => value?.replaceAll('\0', '\uFFFD') ?? null),
  };
}
