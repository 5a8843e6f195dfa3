import { Readable } from 'node:stream';
import { RequestError } from '../errors.ts';
import { GRACE_MS, WALK_MS, WALK_PAGE_MS, WALK_ROWS, WALK_STANDING_MS } from '../limits.ts';
import type { SessionPool } from './pool.ts';
import type { RequestContext } from './request-settings.ts';
import type { Room } from './room.ts';
import type { Session } from './session.ts';
import { roleOf, settingsOf, timingOf, waitsAtMost } from './settings.ts';
import type { Result, Statement } from './statement.ts';
import { BEGIN, COMMIT, ROLLBACK } from './transaction.ts';

/*
 * A list that is read whole: a cursor in a transaction of its own, so that all of it is of one moment, however long it is
 * and however slowly it is read. docs/decisions/csv.md has the reasons.
 */

export interface WalkLimits {
  /** How many may hold a connection at once; of one caller one. */
  readonly most: number;
  /** Until whoever reads asks for the next page. */
  readonly pageMs: number;
  readonly wholeMs: number;
}

export const WALK_LIMITS: WalkLimits = { most: 1, pageMs: WALK_PAGE_MS, wholeMs: WALK_MS };

type Rows = Result['rows'];

export interface Walk {
  readonly isEmpty: boolean;
  /** Arrays of rows; to be read to its end, or destroyed. */
  readonly pages: Readable;
}

/** Opens such walks on a pool, and counts those that have more than a page. */
export function walksOn(
  pool: SessionPool,
  room: Room,
  statementTimeoutMs: number,
  limits: WalkLimits,
): (context: RequestContext, statement: Statement) => Promise<Walk> {
  const exchangeMs = statementTimeoutMs + GRACE_MS;
  return (context, statement) => {
    const { promise, resolve, reject } = Promise.withResolvers<Walk>();
    const role = roleOf(context);
    let pages: Readable | undefined;

    const read = async (session: Session): Promise<void> => {
      const settings = [
        BEGIN,
        waitsAtMost(limits.pageMs + WALK_STANDING_MS),
        settingsOf(context, statementTimeoutMs),
      ];
      const declared = { ...statement, text: `declare walk no scroll cursor for ${statement.text}` };
      const onSettings = timingOf(context);
      const [opened] = await session.soon(
        session.left(exchangeMs),
        session.send([{ role, settings, statements: [declared, NEXT], onSettings }], 'in transaction'),
      );
      const first = opened?.at(-1)?.rows ?? [];
      if (first.length < WALK_ROWS) {
        await session.soon(exchangeMs, session.sendOne(COMMIT, role, 'idle'));
        resolve({ isEmpty: first.length === 0, pages: Readable.from([first]) });
        return;
      }
      const given = room.lend(context.caller.subject, async () => {
        const { promise: over, resolve: end } = Promise.withResolvers<undefined>();
        const ended = (): void => {
          end(undefined);
        };
        pages = Readable.from(pagesFrom(session, first, ended), { highWaterMark: 1 });
        // One that is given up before its first page was asked for never begins.
        pages.once('close', ended);
        resolve({ isEmpty: false, pages });
        await over;
      });
      await given.finally(async () => {
        if (session.inTransaction)
          await session.soon(exchangeMs, session.sendOne(ROLLBACK, role, 'idle')).catch(() => undefined);
      });
    };

    async function* pagesFrom(session: Session, first: Rows, ended: () => void): AsyncGenerator<Rows> {
      const tooSlow = (): void => {
        pages?.destroy(
          new RequestError('ERROR_REQUEST_TIMEOUT', `nobody asked for the next rows in ${limits.pageMs} ms`),
        );
      };
      const next = async (): Promise<Rows> =>
        (await session.soon(exchangeMs, session.sendOne(NEXT, role, 'in transaction'))).rows;
      for (let page = first; ; page = await next()) {
        if (page.length < WALK_ROWS) {
          await session.soon(exchangeMs, session.sendOne(COMMIT, role, 'idle'));
          ended();
          yield page;
          return;
        }
        const pace = setTimeout(tooSlow, limits.pageMs);
        try {
          yield page;
        } finally {
          clearTimeout(pace);
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

const NEXT: Statement = { text: `fetch ${WALK_ROWS} from walk`, values: [] };
