import type { Logger } from 'pino';
import * as limit from '../../limits.ts';
import { runPeriodically } from '../../periodic-task.ts';
import { Backoff } from '../../retries.ts';
import { isSystemError } from '../../system-error.ts';
import { withTimeout } from '../../timeout.ts';
import type { DatabaseLogin } from '../database.ts';
import { createBatches, createRefusalQueue } from './batches.ts';
import { createRefusalRecorder, type RefusalRecorder } from './recorder.ts';
import { parseSpoolLine, formatSpoolLine, type DatedRefusal, type Refusal } from './refusal.ts';
import type { Spool } from './spool.ts';

export type AuditWriter = ReturnType<typeof createAuditWriter>;

/** Stores audit records of refused requests in batches; during a database outage they go to the spool on disk. */
export function createAuditWriter(database: DatabaseLogin, spool: Spool, log: Logger) {
  const recorder = createRefusalRecorder(database);
  const batches = createBatches(recorder, { onStored: noteSuccess, onFailed: noteFailure });
  const diskQueue = createRefusalQueue();
  const backoff = new Backoff(limit.REFUSAL_RECORD_RETRY_PAUSES_MS);
  let isTaking = true;
  let draining: Promise<void> | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function noteSuccess(): void {
    if (!isTaking) log.info('the database accepts refusal records again');
    isTaking = true;
    backoff.reset();
  }

  function noteFailure(error: unknown): void {
    if (isTaking) log.error({ err: error }, 'the database accepts no refusal records: they wait on disk');
    isTaking = false;
    batches.giveUp();
    if (isClosed || retryTimer !== undefined) return;
    retryTimer = setTimeout(() => {
      retryTimer = undefined;
      startDrain();
    }, backoff.nextPauseMs()).unref();
  }

  async function appendToSpool(refusal: DatedRefusal): Promise<void> {
    await withTimeout(
      limit.REFUSAL_RECORD_DISK_TIMEOUT_MS,
      diskQueue.run(undefined, () => spool.append(formatSpoolLine(refusal))),
      () => new Error('the disk did not take a refusal in time'),
    );
    if (isTaking) startDrain();
  }

  function startDrain(): void {
    draining ??= drainSpool();
  }

  async function drainSpool(): Promise<void> {
    let drained = 0;
    try {
      // Sends the database an empty batch, to notice the end of an outage and to read the database's clock.
      await recorder.record([]);
      noteSuccess();
      let isDone = spool.isEmpty;
      while (!isDone) {
        const stored = await drainOldest(spool, recorder, log).catch((error: unknown) => {
          if (!isSystemError(error)) throw error;
          log.error({ err: error }, 'refusal records on disk could not be moved to the database');
          return 0;
        });
        drained += stored ?? 0;
        isDone = stored === undefined || spool.isEmpty;
      }
    } catch (error) {
      noteFailure(error);
    }
    draining = undefined;
    if (drained > 0) log.info({ refusals: drained }, 'refusal records were moved from disk to the database');
  }

  const adoption = runPeriodically(
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
        const refusal = recorder.date(undated);
        const settle = (stored: boolean): void => {
          if (stored) resolve();
          else appendToSpool(refusal).then(resolve, reject);
        };
        if (isTaking && !batches.isFull) batches.add(refusal, settle);
        else settle(false);
      });
    },
    figures: () => ({ waiting: batches.waiting, spooling: diskQueue.running, isTaking }),
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(retryTimer);
      if (!spool.isEmpty) startDrain();
      await withTimeout(
        limit.REFUSAL_RECORD_TIMEOUT_MS,
        Promise.all([adoption.close(), batches.finish(), draining]),
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
async function drainOldest(spool: Spool, recorder: RefusalRecorder, log: Logger): Promise<number | undefined> {
  const file = await spool.oldest();
  if (file === undefined) return undefined;
  try {
    const content = await file.read();
    if (content === undefined) {
      log.error('refusal records are lost: somebody removed their file');
      return 0;
    }
    const { lines, torn } = content;
    if (torn !== '')
      log.warn({ bytes: torn.length }, 'the last refusal record on disk is incomplete: its request got no response');
    const parsed = lines.map((line) => ({ line, refusal: parseSpoolLine(line) }));
    const refusals = parsed.flatMap(({ refusal }) => refusal ?? []);
    const damaged = parsed.flatMap(({ line, refusal }) => (refusal === undefined ? line : []));
    const rejected: DatedRefusal[] = [];
    for (let next = 0; next < refusals.length; next += limit.REFUSAL_RECORDS_PER_STATEMENT) {
      rejected.push(...(await recorder.recordEach(refusals.slice(next, next + limit.REFUSAL_RECORDS_PER_STATEMENT))));
    }
    if (damaged.length + rejected.length > 0) {
      await spool.setAside([...damaged, ...rejected.map((refusal) => JSON.stringify(refusal))]);
      log.error(
        { damaged: damaged.length, refused: rejected.map(({ id, requestId }) => ({ id, requestId })) },
        'refusal records that the database rejects were moved to DATA_DIR/refusals/set-aside',
      );
    }
    await file.remove();
    return refusals.length - rejected.length;
  } catch (error) {
    if (isSystemError(error)) file.postpone();
    throw error;
  }
}
