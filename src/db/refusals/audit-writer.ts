import type { Logger } from 'pino';
import { createSemaphore } from '../../semaphore.ts';
import * as limit from '../../limits.ts';
import { runPeriodically } from '../../periodic-task.ts';
import { Backoff } from '../../retries.ts';
import { isSystemError } from '../../system-error.ts';
import { withTimeout } from '../../timeout.ts';
import type { Database } from '../database.ts';
import { createRefusalRecorder, type RefusalRecorder } from './recorder.ts';
import { parseSpoolLine, formatSpoolLine, type DatedRefusal, type Refusal } from './refusal.ts';
import type { Spool } from './spool.ts';

export type AuditWriter = ReturnType<typeof createAuditWriter>;

interface WaitingRefusal {
  readonly refusal: DatedRefusal;
  readonly settle: (stored: boolean) => void;
}

const queueFullError = (): Error => new Error(`${limit.MAX_WAITING_REFUSAL_RECORDS} refusals wait already`);

/** Stores audit records of refused requests in batches; during a database outage they go to the spool on disk. */
export function createAuditWriter(database: Pick<Database, 'callAsLogin'>, spool: Spool, log: Logger) {
  const refusalRecorder = createRefusalRecorder(database);
  const databaseQueue = createSemaphore(limit.MAX_WAITING_REFUSAL_RECORDS, queueFullError);
  const diskQueue = createSemaphore(limit.MAX_WAITING_REFUSAL_RECORDS, queueFullError);
  const backoff = new Backoff(limit.REFUSAL_RECORD_RETRY_PAUSES_MS);
  let waitingRefusals: WaitingRefusal[] = [];
  let isDatabaseAccepting = true;
  let currentWritePromise: Promise<void> | undefined;
  let currentDrainPromise: Promise<void> | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function handleStoreSuccess(): void {
    if (!isDatabaseAccepting) log.info('the database accepts refusal records again');
    isDatabaseAccepting = true;
    backoff.reset();
  }

  function handleStoreFailure(error: unknown): void {
    if (isDatabaseAccepting) log.error({ err: error }, 'the database accepts no refusal records: they wait on disk');
    isDatabaseAccepting = false;
    for (const { settle } of waitingRefusals) settle(false);
    waitingRefusals = [];
    if (isClosed || retryTimer !== undefined) return;
    retryTimer = setTimeout(() => {
      retryTimer = undefined;
      startDrain();
    }, backoff.nextPauseMs()).unref();
  }

  /**
   * Writes batches of refusals one after the other until no refusal waits. Does not chain the promises of the batches:
   * under steady load the chain would grow without end.
   */
  function writeNextBatch(): void {
    currentWritePromise = undefined;
    if (waitingRefusals.length === 0) return;
    const refusalBatch = waitingRefusals.splice(0, limit.REFUSAL_RECORDS_PER_STATEMENT);
    const settleBatch = (stored: boolean): void => {
      for (const { settle } of refusalBatch) settle(stored);
      writeNextBatch();
    };
    currentWritePromise = refusalRecorder.record(refusalBatch.map(({ refusal }) => refusal)).then(
      () => {
        handleStoreSuccess();
        settleBatch(true);
      },
      (error: unknown) => {
        handleStoreFailure(error);
        settleBatch(false);
      },
    );
  }

  async function waitForWrites(): Promise<void> {
    while (currentWritePromise !== undefined) await currentWritePromise;
  }

  /** Queues a refusal; calls `onSettled` once, with true if the database stored the refusal in time. */
  function storeRefusal(refusal: DatedRefusal, onSettled: (stored: boolean) => void): void {
    if (!isDatabaseAccepting || databaseQueue.isFull) {
      onSettled(false);
      return;
    }
    const releaseQueueSlot = databaseQueue.enter();
    let isSettled = false;
    const settle = (stored: boolean): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(storeTimeoutTimer);
      releaseQueueSlot();
      onSettled(stored);
    };
    const storeTimeoutTimer = setTimeout(() => {
      settle(false);
      handleStoreFailure(new Error(`a refusal was not stored within ${limit.REFUSAL_RECORD_TIMEOUT_MS} ms`));
    }, limit.REFUSAL_RECORD_TIMEOUT_MS);
    waitingRefusals.push({ refusal, settle });
    if (currentWritePromise === undefined) writeNextBatch();
  }

  async function appendToSpool(refusal: DatedRefusal): Promise<void> {
    const appendPromise = diskQueue.run(() => spool.append(formatSpoolLine(refusal)));
    const timeoutError = (): Error => new Error('the disk did not take a refusal in time');
    await withTimeout(limit.REFUSAL_RECORD_DISK_TIMEOUT_MS, appendPromise, timeoutError);
    if (isDatabaseAccepting) startDrain();
  }

  function startDrain(): void {
    currentDrainPromise ??= drainSpool();
  }

  async function drainSpool(): Promise<void> {
    let drainedRefusalCount = 0;
    try {
      // Sends the database an empty batch, to notice the end of an outage and to read the database's clock.
      await refusalRecorder.record([]);
      handleStoreSuccess();
      let isSpoolDrained = spool.isEmpty;
      while (!isSpoolDrained) {
        const storedRefusalCount = await drainOldestSpoolFile(spool, refusalRecorder, log).catch((error: unknown) => {
          if (!isSystemError(error)) throw error;
          log.error({ err: error }, 'refusal records on disk could not be moved to the database');
          return 0;
        });
        drainedRefusalCount += storedRefusalCount ?? 0;
        isSpoolDrained = storedRefusalCount === undefined || spool.isEmpty;
      }
    } catch (error) {
      handleStoreFailure(error);
    }
    currentDrainPromise = undefined;
    if (drainedRefusalCount > 0)
      log.info({ refusals: drainedRefusalCount }, 'refusal records were moved from disk to the database');
  }

  const slotAdoptionTask = runPeriodically(
    async () => {
      await spool.adopt();
      startDrain();
    },
    'what other processes have left on disk cannot be looked for',
    log,
    limit.REFUSAL_MAINTENANCE_PAUSE_MS,
  );
  startDrain();

  return {
    /** Resolves when the database or the disk has stored the refusal. @throws Error where both fail */
    record(undated: Refusal): Promise<void> {
      return new Promise((resolve, reject) => {
        const refusal = refusalRecorder.date(undated);
        storeRefusal(refusal, (stored) => {
          if (stored) resolve();
          else appendToSpool(refusal).then(resolve, reject);
        });
      });
    },
    figures: () => ({
      waiting: databaseQueue.inUse,
      spooling: diskQueue.inUse,
      isTaking: isDatabaseAccepting,
    }),
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(retryTimer);
      if (!spool.isEmpty) startDrain();
      const pendingWritesPromise = Promise.all([slotAdoptionTask.close(), waitForWrites(), currentDrainPromise]);
      await withTimeout(
        limit.REFUSAL_RECORD_TIMEOUT_MS,
        pendingWritesPromise,
        () => new Error('the database does not answer'),
      ).catch(() => undefined);
      if (!spool.isEmpty) log.warn('refusal records wait on disk for the next start');
    },
  };
}

/**
 * Stores the refusals of the oldest spool file in the database; returns how many, or undefined for an empty spool.
 * Removes the spool file last: after a crash before the removal the records are stored again, under the same ids.
 */
async function drainOldestSpoolFile(spool: Spool, recorder: RefusalRecorder, log: Logger): Promise<number | undefined> {
  const oldestSpoolFile = await spool.oldest();
  if (oldestSpoolFile === undefined) return undefined;
  try {
    const spoolFileContent = await oldestSpoolFile.read();
    if (spoolFileContent === undefined) {
      log.error('refusal records are lost: somebody removed their file');
      return 0;
    }
    const { lines, torn } = spoolFileContent;
    if (torn !== '')
      log.warn({ bytes: torn.length }, 'the last refusal record on disk is incomplete: its request got no response');
    const parsedLines = lines.map((line) => ({ line, refusal: parseSpoolLine(line) }));
    const refusals = parsedLines.flatMap(({ refusal }) => refusal ?? []);
    const damagedLines = parsedLines.flatMap(({ line, refusal }) => (refusal === undefined ? line : []));
    const rejectedRefusals: DatedRefusal[] = [];
    for (let next = 0; next < refusals.length; next += limit.REFUSAL_RECORDS_PER_STATEMENT) {
      rejectedRefusals.push(
        ...(await recorder.recordEach(refusals.slice(next, next + limit.REFUSAL_RECORDS_PER_STATEMENT))),
      );
    }
    if (damagedLines.length + rejectedRefusals.length > 0) {
      await spool.setAside([...damagedLines, ...rejectedRefusals.map((refusal) => JSON.stringify(refusal))]);
      const damagedLineLogFields = {
        damaged: damagedLines.length,
        refused: rejectedRefusals.map(({ id, requestId }) => ({ id, requestId })),
      };
      log.error(
        damagedLineLogFields,
        'refusal records that the database rejects were moved to DATA_DIR/refusals/set-aside',
      );
    }
    await oldestSpoolFile.remove();
    return refusals.length - rejectedRefusals.length;
  } catch (error) {
    if (isSystemError(error)) oldestSpoolFile.postpone();
    throw error;
  }
}
