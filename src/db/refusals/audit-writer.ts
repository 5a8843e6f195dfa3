import type { Logger } from 'pino';
import { boundOf } from '../../bound.ts';
import * as limit from '../../limits.ts';
import { regularly } from '../../regularly.ts';
import { Pauses } from '../../retries.ts';
import { isOfTheSystem } from '../../system-error.ts';
import { within } from '../../within.ts';
import type { Database } from '../database.ts';
import { drainOldest } from './drain.ts';
import { createRecorder } from './recorder.ts';
import { toLine, type KeptRefusal, type Refusal } from './refusal.ts';
import type { Spool } from './spool.ts';

export type AuditWriter = ReturnType<typeof createAuditWriter>;

interface Waiting {
  readonly refusal: KeptRefusal;
  readonly settle: (stored: boolean) => void;
}

const full = (): Error => new Error(`${limit.REFUSALS_WAITING} refusals wait already`);

/** Records refusals in batches, on a connection of their own; during an outage they go straight to the spool. */
export function createAuditWriter(database: Pick<Database, 'callAsLogin'>, spool: Spool, log: Logger) {
  const recorder = createRecorder(database);
  const forDatabase = boundOf(limit.REFUSALS_WAITING, full);
  const forDisk = boundOf(limit.REFUSALS_WAITING, full);
  const pauses = new Pauses(limit.REFUSALS_RETRY_MS);
  let waiting: Waiting[] = [];
  let isTaking = true;
  let writing: Promise<void> | undefined;
  let draining: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  function taken(): void {
    if (!isTaking) log.info('the database takes refusals again');
    isTaking = true;
    pauses.reset();
  }

  function notTaken(error: unknown): void {
    if (isTaking)
      log.error({ err: error }, 'the database takes no refusals: they are kept on disk until it does');
    isTaking = false;
    for (const { settle } of waiting) settle(false);
    waiting = [];
    if (closed || retry !== undefined) return;
    retry = setTimeout(() => {
      retry = undefined;
      drain();
    }, pauses.next()).unref();
  }

  /** One batch at a time. */
  function writeWaiting(): Promise<void> | undefined {
    if (waiting.length === 0) return undefined;
    const batch = waiting.splice(0, limit.REFUSALS_AT_ONCE);
    const settleAll = (stored: boolean): void => {
      for (const { settle } of batch) settle(stored);
    };
    const writeNext = (): Promise<void> | undefined => (writing = writeWaiting());
    return recorder.record(batch.map(({ refusal }) => refusal)).then(
      () => {
        settleAll(true);
        taken();
        return writeNext();
      },
      (error: unknown) => {
        settleAll(false);
        notTaken(error);
        return writeNext();
      },
    );
  }

  /** Tells `told` once whether the database has it. */
  function store(refusal: KeptRefusal, told: (stored: boolean) => void): void {
    if (!isTaking || forDatabase.isFull) {
      told(false);
      return;
    }
    const leave = forDatabase.enter();
    let isSettled = false;
    const settle = (stored: boolean): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(late);
      leave();
      told(stored);
    };
    const late = setTimeout(() => {
      settle(false);
      notTaken(new Error(`a refusal was not stored within ${limit.REFUSAL_MS} ms`));
    }, limit.REFUSAL_MS);
    waiting.push({ refusal, settle });
    writing ??= writeWaiting();
  }

  async function append(refusal: KeptRefusal): Promise<void> {
    const appended = forDisk.during(() => spool.append(toLine(refusal)));
    const late = (): Error => new Error('the disk did not take a refusal in time');
    await within(limit.REFUSAL_DISK_MS, appended, late);
    if (isTaking) drain();
  }

  function drain(): void {
    draining ??= drainAll();
  }

  async function drainAll(): Promise<void> {
    let drained = 0;
    try {
      // With nothing to move as well: it reads the database's clock, ends an outage, and opens the connection.
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

  const round = regularly(
    async () => {
      await spool.adopt();
      drain();
    },
    'what other processes have left on disk cannot be looked for',
    log,
    limit.REFUSALS_ROUND_MS,
  );
  drain();

  return {
    /**
     * Resolves when the record is in the database or, where that takes too long, on this machine's disk.
     * @throws Error where neither takes it: the request must not be answered as refused
     */
    record(answered: Refusal): Promise<void> {
      return new Promise((resolve, reject) => {
        const refusal = recorder.date(answered);
        store(refusal, (stored) => {
          if (stored) resolve();
          else append(refusal).then(resolve, reject);
        });
      });
    },
    figures: () => ({ waiting: forDatabase.taken, spooling: forDisk.taken, isTaking }),
    /** Tries once more to empty the spool, which is closed after this. */
    async close(): Promise<void> {
      closed = true;
      clearTimeout(retry);
      if (!spool.isEmpty) drain();
      const ended = Promise.all([round.close(), writing, draining]);
      await within(limit.REFUSAL_MS, ended, () => new Error('the database does not answer')).catch(
        () => undefined,
      );
      if (!spool.isEmpty) log.warn('refusals wait on disk for the next start');
    },
  };
}
