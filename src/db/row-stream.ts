import { Readable } from 'node:stream';
import { createSemaphore } from '../semaphore.ts';
import { RequestError } from '../errors.ts';
import {
  STATEMENT_GRACE_MS,
  LIST_STREAM_TIMEOUT_MS,
  LIST_STREAM_PAGE_MS,
  LIST_STREAM_PAGE_ROWS,
  LIST_STREAM_IDLE_MS,
} from '../limits.ts';
import type { SessionPool } from './pool.ts';
import type { RequestContext } from './request-settings.ts';
import type { Session } from './session.ts';
import { determineDatabaseRole, buildSettingsStatement, createTimingRecorder, idleTimeoutSetting } from './settings.ts';
import type { StatementResult, Statement } from './statement.ts';
import { BEGIN, COMMIT, ROLLBACK } from './transaction.ts';

/* Reads a long list with a cursor, so that all rows are of one database snapshot (docs/decisions/csv.md). */

export interface StreamLimits {
  /** The maximum number of row streams that hold a database connection at once; each caller may have one. */
  readonly maxStreams: number;
  /** The maximum pause of a reader between two pages, in ms. */
  readonly maxReaderPauseMs: number;
  readonly maxStreamMs: number;
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  maxStreams: 1,
  maxReaderPauseMs: LIST_STREAM_PAGE_MS,
  maxStreamMs: LIST_STREAM_TIMEOUT_MS,
};

type ResultRows = StatementResult['rows'];

interface RowStream {
  readonly isEmpty: boolean;
  /** A stream of arrays of rows; the caller must read the stream to its end or destroy it. */
  readonly pages: Readable;
}

export function createRowStreams(
  pool: SessionPool,
  longRequests: LongRequestLimit,
  statementTimeoutMs: number,
  limits: StreamLimits,
) {
  const exchangeMs = statementTimeoutMs + STATEMENT_GRACE_MS;
  return (context: RequestContext, statement: Statement): Promise<RowStream> => {
    const { promise, resolve, reject } = Promise.withResolvers<RowStream>();
    const role = determineDatabaseRole(context);
    let pages: Readable | undefined;

    const streamPages = async (session: Session): Promise<void> => {
      const settings = [
        BEGIN,
        idleTimeoutSetting(limits.maxReaderPauseMs + LIST_STREAM_IDLE_MS),
        buildSettingsStatement(context, statementTimeoutMs),
      ];
      const declare = {
        ...statement,
        text: `declare long_list no scroll cursor for ${statement.text}`,
      };
      const onSettings = createTimingRecorder(context);
      const [opened] = await session.withTimeout(
        session.remainingMs(exchangeMs),
        session.send(
          [{ role, settings, statements: [declare, FETCH_NEXT_STATEMENT], onSettings }],
          'in transaction',
        ),
      );
      const firstPage = opened?.at(-1)?.rows ?? [];
      if (firstPage.length < LIST_STREAM_PAGE_ROWS) {
        await session.withTimeout(exchangeMs, session.sendOne(COMMIT, role, 'idle'));
        resolve({ isEmpty: firstPage.length === 0, pages: Readable.from([firstPage]) });
        return;
      }
      const streamPromise = longRequests.run(context.caller.subject, async () => {
        const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
        const endStream = (): void => {
          end(undefined);
        };
        pages = Readable.from(generatePages(session, firstPage, endStream), { highWaterMark: 1 });
        // A stream that is destroyed before its first page never runs its generator, so the `close` event releases the
        // connection.
        pages.once('close', endStream);
        resolve({ isEmpty: false, pages });
        await ended;
      });
      await streamPromise.finally(async () => {
        if (session.inTransaction)
          await session
            .withTimeout(exchangeMs, session.sendOne(ROLLBACK, role, 'idle'))
            .catch(() => undefined);
      });
    };

    async function* generatePages(session: Session, first: ResultRows, onEnd: () => void): AsyncGenerator<ResultRows> {
      const failAsSlow = (): void => {
        pages?.destroy(
          new RequestError('ERROR_REQUEST_TIMEOUT', `nobody asked for the next rows in ${limits.maxReaderPauseMs} ms`),
        );
      };
      const fetchNext = async (): Promise<ResultRows> =>
        (
          await session.withTimeout(
            exchangeMs,
            session.sendOne(FETCH_NEXT_STATEMENT, role, 'in transaction'),
          )
        ).rows;
      for (let page = first; ; page = await fetchNext()) {
        if (page.length < LIST_STREAM_PAGE_ROWS) {
          await session.withTimeout(exchangeMs, session.sendOne(COMMIT, role, 'idle'));
          onEnd();
          yield page;
          return;
        }
        const timer = setTimeout(failAsSlow, limits.maxReaderPauseMs);
        try {
          yield page;
        } finally {
          clearTimeout(timer);
        }
      }
    }

    const { subject } = context.caller;
    pool
      .withSession(streamPages, {
        limitMs: limits.maxStreamMs,
        prepared: false,
        subject,
        socket: context.socket,
      })
      .catch((error: unknown) => {
        reject(error instanceof Error ? error : new Error('a list could not be read', { cause: error }));
        pages?.destroy(error instanceof Error ? error : undefined);
      });
    return promise;
  };
}

const FETCH_NEXT_STATEMENT: Statement = { text: `fetch ${LIST_STREAM_PAGE_ROWS} from long_list`, values: [] };

type LongRequestLimit = ReturnType<typeof createLongRequestLimit>;

const RETRY_HEADERS = { 'Retry-After': '5' };

/** Limits long lists, imports and archives: one at a time for each caller, `maxStreams` for all callers together. */
export function createLongRequestLimit(maxStreams: number) {
  const subjectsInLongRequest = new Set<string>();
  const tooManyRequestsMessage = 'too many long requests are under way';
  const longRequestSemaphore = createSemaphore(
    maxStreams,
    () => new RequestError('ERROR_UNAVAILABLE', tooManyRequestsMessage, { headers: RETRY_HEADERS, kind: 'busy' }),
  );
  return {
    inUse: () => longRequestSemaphore.inUse,
    /** @throws RequestError ERROR_RATE_LIMITED for the caller's second, ERROR_UNAVAILABLE where there are too many */
    async run<T>(subject: string, callback: () => Promise<T>): Promise<T> {
      if (subjectsInLongRequest.has(subject))
        throw new RequestError('ERROR_RATE_LIMITED', 'another long request of the same caller is under way', {
          ...{ headers: RETRY_HEADERS, kind: 'long_request' },
        });
      return longRequestSemaphore.run(() => {
        subjectsInLongRequest.add(subject);
        return callback().finally(() => subjectsInLongRequest.delete(subject));
      });
    },
  };
}
