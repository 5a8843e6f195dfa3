import { Readable } from 'node:stream';
import { RequestError } from '../errors.ts';
import { Shares } from '../shares.ts';
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

const FETCH_NEXT: Statement = { text: `fetch ${LIST_STREAM_PAGE_ROWS} from long_list`, values: [] };

export function createRowStreams(pool: SessionPool, longRequests: Shares, timeoutMs: number, limits: StreamLimits) {
  return (context: RequestContext, statement: Statement): Promise<RowStream> => {
    const { promise, resolve, reject } = Promise.withResolvers<RowStream>();
    const { subject } = context.caller;
    let pages: Readable | undefined;

    const readList = async (session: Session): Promise<void> => {
      const cursor = new ListCursor(session, context, timeoutMs);
      const first = await cursor.open(statement, limits.maxReaderPauseMs);
      if (first.length < LIST_STREAM_PAGE_ROWS) {
        await cursor.commit();
        resolve({ isEmpty: first.length === 0, pages: Readable.from([first]) });
        return;
      }
      const streaming = longRequests.run(subject, async () => {
        const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
        pages = streamPages(cursor, first, limits.maxReaderPauseMs, () => {
          end(undefined);
        });
        resolve({ isEmpty: false, pages });
        await ended;
      });
      await streaming.finally(() => cursor.rollBack());
    };

    pool
      .withSession(readList, { limitMs: limits.maxStreamMs, prepared: false, subject, socket: context.socket })
      .catch((error: unknown) => {
        reject(error instanceof Error ? error : new Error('a list could not be read', { cause: error }));
        pages?.destroy(error instanceof Error ? error : undefined);
      });
    return promise;
  };
}

/** Streams the pages of a list; calls `onEnd` when the connection is not needed any more. */
function streamPages(cursor: ListCursor, first: ResultRows, maxPauseMs: number, onEnd: () => void): Readable {
  async function* generatePages(): AsyncGenerator<ResultRows> {
    for (let page = first; ; page = await cursor.fetchNext()) {
      if (page.length < LIST_STREAM_PAGE_ROWS) {
        await cursor.commit();
        onEnd();
        yield page;
        return;
      }
      const timer = setTimeout(() => {
        pages.destroy(new RequestError('ERROR_REQUEST_TIMEOUT', `nobody asked for the next rows in ${maxPauseMs} ms`));
      }, maxPauseMs);
      try {
        yield page;
      } finally {
        clearTimeout(timer);
      }
    }
  }
  const pages = Readable.from(generatePages(), { highWaterMark: 1 });
  // A stream that is destroyed before its first page never runs its generator, so the `close` event releases the
  // connection.
  return pages.once('close', onEnd);
}

/** The cursor of one list, in a transaction of its own. */
class ListCursor {
  readonly #session: Session;
  readonly #context: RequestContext;
  readonly #role: string;
  readonly #timeoutMs: number;

  constructor(session: Session, context: RequestContext, timeoutMs: number) {
    this.#session = session;
    this.#context = context;
    this.#role = determineDatabaseRole(context);
    this.#timeoutMs = timeoutMs;
  }

  async open(statement: Statement, maxPauseMs: number): Promise<ResultRows> {
    const settings = [
      BEGIN,
      idleTimeoutSetting(maxPauseMs + LIST_STREAM_IDLE_MS),
      buildSettingsStatement(this.#context, this.#timeoutMs),
    ];
    const declare = { ...statement, text: `declare long_list no scroll cursor for ${statement.text}` };
    const onSettings = createTimingRecorder(this.#context);
    const [results] = await this.#session.withTimeout(
      this.#session.remainingMs(this.#exchangeMs),
      this.#session.send(
        [{ role: this.#role, settings, statements: [declare, FETCH_NEXT], onSettings }],
        'in transaction',
      ),
    );
    return results?.at(-1)?.rows ?? [];
  }

  async fetchNext(): Promise<ResultRows> {
    return (await this.#send(FETCH_NEXT, 'in transaction')).rows;
  }

  async commit(): Promise<void> {
    await this.#send(COMMIT, 'idle');
  }

  async rollBack(): Promise<void> {
    if (this.#session.inTransaction) await this.#send(ROLLBACK, 'idle').catch(() => undefined);
  }

  get #exchangeMs(): number {
    return this.#timeoutMs + STATEMENT_GRACE_MS;
  }

  #send(statement: Statement, end: 'idle' | 'in transaction'): Promise<StatementResult> {
    return this.#session.withTimeout(this.#exchangeMs, this.#session.sendOne(statement, this.#role, end));
  }
}

/**
 * Limits long lists, imports and archives: one at a time for each caller, `max` for all callers together. More is refused
 * with RequestError: ERROR_RATE_LIMITED for the caller's second, ERROR_UNAVAILABLE where there are too many.
 */
export function createLongRequestLimit(max: number): Shares {
  return new Shares({
    total: {
      max,
      refusedError: () =>
        new RequestError('ERROR_UNAVAILABLE', 'too many long requests are under way', { kind: 'busy' }),
    },
    each: {
      max: 1,
      refusedError: () =>
        new RequestError('ERROR_RATE_LIMITED', 'another long request of the same caller is under way', {
          headers: { 'Retry-After': '5' },
          kind: 'long_request',
        }),
    },
  });
}
