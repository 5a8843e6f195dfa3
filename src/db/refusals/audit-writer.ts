import type { Logger } from 'pino';
import type { Database } from '../database.ts';
import { drainOldest } from './drain.ts';
import { isOfTheSystem } from '../../system-error.ts';
import { within } from '../../within.ts';
import { BATCH, createRecorder } from './recorder.ts';
import { toLine } from './refusal.ts';
import type { KeptRefusal, Refusal } from './refusal.ts';
import type { Spool } from './spool.ts';

export interface AuditWriter {
  /**
   * Resolves when the record is in the database or, where that does not take it in time, on this machine's disk, from
   * where it comes into the database exactly once.
   * @throws Error where neither takes it: the request must not be answered as refused
   */
  record(refusal: Refusal): Promise<void>;
  /** Tries once more to empty the spool. To be called before the database and the spool are closed. */
  close(): Promise<void>;
  figures(): {
    /** Of those who wait for an answer: for the database, and for the disk. */
    readonly waiting: number;
    readonly spooling: number;
    /** Whether the database took the last ones. */
    readonly isTaking: boolean;
  };
}

/** How long an answer waits for the database, and then for the disk. */
const DATABASE_PATIENCE_MS = 1_000;
const SPOOL_PATIENCE_MS = 2_000;
/** Each is some kilobytes of memory. */
const WAITING_LIMIT = 10_000;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 2_000;
/**
 * How often the database's clock is asked for, so that it does not drift from what is known of it, and it is looked
 * whether another process on the same folder has ended and left something.
 */
const ROUND_MS = 10_000;

interface Waiting {
  readonly refusal: KeptRefusal;
  readonly settle: (stored: boolean) => void;
}

/**
 * Records refusals in batches, on a connection that nothing else waits for. While the database is known not to take
 * them, they go to the spool without asking it again for each.
 */
export function createAuditWriter({
  database,
  spool,
  log,
}: {
  readonly database: Pick<Database, 'callAsLogin'>;
  readonly spool: Spool;
  readonly log: Logger;
}): AuditWriter {
  const recorder = createRecorder(database);
  let waiting: Waiting[] = [];
  let spooling = 0;
  let isTaking = true;
  let writing: Promise<void> | undefined;
  let draining: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = FIRST_RETRY_MS;
  let closed = false;

  function taken(): void {
    if (!isTaking) log.info('the database takes refusals again');
    isTaking = true;
    retryMs = FIRST_RETRY_MS;
  }

  function notTaken(error: unknown): void {
    if (isTaking)
      log.error({ err: error }, 'the database takes no refusals: they are kept on disk until it does');
    isTaking = false;
    for (const { settle } of waiting) settle(false);
    waiting = [];
    drainLater();
  }

  function drainLater(): void {
    if (closed || retry !== undefined) return;
    retry = setTimeout(() => {
      retry = undefined;
      drain();
    }, retryMs).unref();
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  }

  /** One batch at a time: whoever comes meanwhile is in the next. */
  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        await recorder.record(batch.map(({ refusal }) => refusal));
        for (const { settle } of batch) settle(true);
        taken();
      } catch (error) {
        for (const { settle } of batch) settle(false);
        notTaken(error);
      }
    }
    writing = undefined;
  }

  async function isStoredInTime(refusal: KeptRefusal): Promise<boolean> {
    if (!isTaking || waiting.length >= WAITING_LIMIT) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const late = setTimeout(() => {
      resolve(false);
      notTaken(new Error(`a refusal was not stored within ${DATABASE_PATIENCE_MS} ms`));
    }, DATABASE_PATIENCE_MS);
    waiting.push({ refusal, settle: resolve });
    writing ??= writeWaiting();
    const isStored = await promise;
    clearTimeout(late);
    return isStored;
  }

  async function spoolInTime(refusal: KeptRefusal): Promise<void> {
    if (spooling >= WAITING_LIMIT) throw new Error(`${WAITING_LIMIT} refusals wait for the disk already`);
    spooling += 1;
    const appended = spool.append(toLine(refusal)).finally(() => (spooling -= 1));
    await within(SPOOL_PATIENCE_MS, appended, () => new Error('the disk did not take a refusal in time'));
  }

  function drain(): void {
    draining ??= drainAll();
  }

  async function drainAll(): Promise<void> {
    let drained = 0;
    try {
      // With nothing to move as well: for the database's clock, for whether an outage is over, and so that a connection
      // is there before it is said how long ago a refusal was.
      await recorder.record([]);
      taken();
      let isDone = spool.isEmpty;
      while (!isDone) {
        const count = await drainOldest(spool, recorder, log).catch((error: unknown) => {
          if (!isOfTheSystem(error)) throw error;
          log.error({ err: error }, 'refusals that are kept on disk cannot be moved into the database');
          return 0;
        });
        drained += count ?? 0;
        isDone = count === undefined || spool.isEmpty;
      }
    } catch (error) {
      notTaken(error);
    }
    draining = undefined;
    if (drained > 0) log.info({ refusals: drained }, 'refusals that were kept on disk are in the database');
  }

  const round = setInterval(() => {
    void spool.adopt().then(drain, (error: unknown) => {
      log.error({ err: error }, 'what other processes have left on disk cannot be looked for');
    });
  }, ROUND_MS).unref();
  drain();

  return {
    async record(answered) {
      const refusal = recorder.date(answered);
      if (await isStoredInTime(refusal)) return;
      await spoolInTime(refusal);
      if (isTaking) drain();
    },
    figures: () => ({ waiting: waiting.length, spooling, isTaking }),
    async close() {
      closed = true;
      clearInterval(round);
      clearTimeout(retry);
      if (!spool.isEmpty) drain();
      const ended = Promise.all([writing, draining]);
      await within(DATABASE_PATIENCE_MS, ended, () => new Error('the database does not answer')).catch(
        () => undefined,
      );
      if (!spool.isEmpty) log.warn('refusals wait on disk for the next start');
    },
  };
}
