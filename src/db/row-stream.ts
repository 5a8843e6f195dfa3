import { Readable } from 'node:stream';
import { createSemaphore } from '../bound.ts';
import { RequestError } from '../errors.ts';
import { GRACE_MS, STREAM_MS, STREAM_PAGE_MS, STREAM_ROWS, STREAM_IDLE_MS } from '../limits.ts';
import type { SessionPool } from './pool.ts';
import type { RequestContext } from './request-settings.ts';
import type { Session } from './session.ts';
import { roleOf, settingsOf, timingOf, waitsAtMost } from './settings.ts';
import type { Result, Statement } from './statement.ts';
import { BEGIN, COMMIT, ROLLBACK } from './transaction.ts';

/* Long lists: a cursor in a transaction of its own, so that all rows are of one snapshot (docs/decisions/csv.md). */

export interface StreamLimits {
  /** The most streams that may hold a connection at once; each caller may have one. */
  readonly most: number;
  /** The longest pause of a reader between two pages. */
  readonly pageMs: number;
  readonly wholeMs: number;
}

export const STREAM_LIMITS: StreamLimits = { most: 1, pageMs: STREAM_PAGE_MS, wholeMs: STREAM_MS };

type Rows = Result['rows'];

interface RowStream {
  readonly isEmpty: boolean;
  /** Arrays of rows. The caller reads to the end or destroys the stream. */
  readonly pages: Readable;
}

export function rowStreamsOn(
  pool: SessionPool,
  longRequests: LongRequests,
  statementTimeoutMs: number,
  limits: StreamLimits,
) {
  const exchangeMs = statementTimeoutMs + GRACE_MS;
  return (context: RequestContext, statement: Statement): Promise<RowStream> => {
    const { promise, resolve, reject } = Promise.withResolvers<RowStream>();
    const role = roleOf(context);
    let pages: Readable | undefined;

    const read = async (session: Session): Promise<void> => {
      const settings = [
        BEGIN,
        waitsAtMost(limits.pageMs + STREAM_IDLE_MS),
        settingsOf(context, statementTimeoutMs),
      ];
      const declared = { ...statement, text: `declare long_list no scroll cursor for ${statement.text}` };
      const onSettings = timingOf(context);
      const [opened] = await session.withTimeout(
        session.left(exchangeMs),
        session.send([{ role, settings, statements: [declared, NEXT], onSettings }], 'in transaction'),
      );
      const first = opened?.at(-1)?.rows ?? [];
      if (first.length < STREAM_ROWS) {
        await session.withTimeout(exchangeMs, session.sendOne(COMMIT, role, 'idle'));
        resolve({ isEmpty: first.length === 0, pages: Readable.from([first]) });
        return;
      }
      const streamed = longRequests.during(context.caller.subject, async () => {
        const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
        const onEnd = (): void => {
          end(undefined);
        };
        pages = Readable.from(pagesFrom(session, first, onEnd), { highWaterMark: 1 });
        // A stream that is destroyed before its first page never runs its generator, so the event releases the connection.
        pages.once('close', onEnd);
        resolve({ isEmpty: false, pages });
        await ended;
      });
      await streamed.finally(async () => {
        if (session.inTransaction)
          await session
            .withTimeout(exchangeMs, session.sendOne(ROLLBACK, role, 'idle'))
            .catch(() => undefined);
      });
    };

    async function* pagesFrom(session: Session, first: Rows, onEnd: () => void): AsyncGenerator<Rows> {
      const tooSlow = (): void => {
        pages?.destroy(
          new RequestError('ERROR_REQUEST_TIMEOUT', `nobody asked for the next rows in ${limits.pageMs} ms`),
        );
      };
      const next = async (): Promise<Rows> =>
        (await session.withTimeout(exchangeMs, session.sendOne(NEXT, role, 'in transaction'))).rows;
      for (let page = first; ; page = await next()) {
        if (page.length < STREAM_ROWS) {
          await session.withTimeout(exchangeMs, session.sendOne(COMMIT, role, 'idle'));
          onEnd();
          yield page;
          return;
        }
        const timer = setTimeout(tooSlow, limits.pageMs);
        try {
          yield page;
        } finally {
          clearTimeout(timer);
        }
      }
    }

    pool.withSession(read, { limitMs: limits.wholeMs, prepared: false }).catch((error: unknown) => {
      reject(error instanceof Error ? error : new Error('a list could not be read', { cause: error }));
      pages?.destroy(error instanceof Error ? error : undefined);
    });
    return promise;
  };
}

const NEXT: Statement = { text: `fetch ${STREAM_ROWS} from long_list`, values: [] };

type LongRequests = ReturnType<typeof longRequestsUpTo>;

const headers = { 'Retry-After': '5' };

/** Long lists, imports and archives: each caller may have one at a time, all callers together `most`. */
export function longRequestsUpTo(most: number) {
  const callers = new Set<string>();
  const tooMany = 'too many long requests are under way';
  const bound = createSemaphore(
    most,
    () => new RequestError('ERROR_UNAVAILABLE', tooMany, { headers, kind: 'busy' }),
  );
  return {
    taken: () => bound.inUse,
    /** @throws RequestError ERROR_RATE_LIMITED for the caller's second, ERROR_UNAVAILABLE where there are too many */
    async during<T>(subject: string, work: () => Promise<T>): Promise<T> {
      if (callers.has(subject))
        throw new RequestError('ERROR_RATE_LIMITED', 'another long request of the same caller is under way', {
          ...{ headers, kind: 'long_request' },
        });
      return bound.run(() => {
        callers.add(subject);
        return work().finally(() => callers.delete(subject));
      });
    },
  };
}
