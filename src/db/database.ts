import { setTimeout } from 'node:timers/promises';
import { timed } from '../observed.ts';
import { sqlState } from './errors.ts';
import { isNameElsewhere, isStalePlan } from './pipeline.ts';
import { openPool } from './pool.ts';
import type { PoolFigures, PoolOptions, SessionPool } from './pool.ts';
import type { RequestContext } from './request-settings.ts';
import { nextSettings, roleOf, settingsOf, timingOf } from './settings.ts';
import type { Result, Statement } from './statement.ts';
import { roomFor } from './room.ts';
import { runTransaction } from './transaction.ts';
import type { Run } from './transaction.ts';
import { WALK_LIMITS, walksOn } from './walk.ts';
import type { Walk, WalkLimits } from './walk.ts';
import { GRACE_MS, VICTIM_PAUSE_MS } from '../limits.ts';

/**
 * The only door to the database. Whatever happens inside — an error in the middle, a value that cannot be
 * encoded, a constraint that fails at the end, a time-out, a lost connection — all of it is stored or none,
 * and the next request on that connection finds no role, no setting and no transaction of this one.
 *
 * - The role and the settings are local to the transaction: the server takes them back at its end.
 * - A connection is used again only when the server said that it is outside any transaction.
 * - Statements that act on the session (`set`, `begin`, `listen`, `prepare`, temporary tables, a lock of the
 *   session, …) are refused before anything is sent.
 * - Should a function of the database change a session's `app.*` setting all the same, the next transaction
 *   overwrites it; should it change the role, the next request fails and its connection is closed.
 *
 * A caller that hangs up changes nothing: what was sent runs to its end.
 *
 * What was undone because it met others in a deadlock, or because it could not be put in an order with them, is done
 * once more in what is left of its time.
 *
 * Every wait has an end: the one for a connection and all that is done on it have together the statement time-out and a
 * second. A server that says nothing is left then, and its connection destroyed.
 *
 * All throw the server's errors as pg's DatabaseError, but RightMissing for a right that the service itself lacks,
 * DatabaseUnavailable when the database is out of reach,
 * mute, or has too many waiting for it, and TypeError or RangeError, before anything is sent, for a statement that is
 * not acceptable.
 */
export interface Database {
  /**
   * Settings and statements in one message pipeline: all or nothing, READ ONLY where the context says so.
   * Gives one result for each statement.
   */
  run(context: RequestContext, statements: readonly Statement[]): Promise<readonly Result[]>;
  /** The same for several, one after the other in one pipeline; without a context it is the API itself that asks. */
  runInTurn(turns: readonly Turn[]): Promise<readonly (readonly Result[])[]>;
  /**
   * An explicit transaction with the same settings, for statements that depend on each other's results.
   * It is rolled back when `work` throws, and also, with an error, when a statement failed and `work` did not.
   * `work` must do nothing else, for it is done again where all of it was undone by a deadlock.
   */
  transaction<T>(
    context: RequestContext,
    work: (run: Run) => Promise<T>,
    limits?: TransactionLimits,
  ): Promise<T>;
  /**
   * All rows of a statement, of one moment, in pages, of which few are in memory. It holds a connection until the last
   * page was read, and fails where that takes too long, so that nobody takes a part for all.
   * @throws RequestError ERROR_RATE_LIMITED for a caller who reads another such list, ERROR_UNAVAILABLE where many do
   */
  walk(context: RequestContext, statement: Statement): Promise<Walk>;
  /** One call of the API's own functions as its login: under no request role, with no setting of a request. */
  callAsLogin(statement: Statement): Promise<Result>;
  /**
   * Takes no more; resolves when what is under way has ended. What takes longer than `withinMs`, by default as long as
   * anything may, is broken off.
   */
  close(withinMs?: number): Promise<void>;
  /** How busy it is. */
  figures(): DatabaseFigures;
}

export interface DatabaseFigures extends PoolFigures {
  /** Long lists and transactions, which hold a connection for longer than others. */
  readonly longRequests: number;
}

/** What a transaction may take that is larger than others. */
export interface TransactionLimits {
  /**
   * For each statement of it, and for all that is done in it; the statement time-out when absent. What is given more
   * needs room, as a walk does.
   */
  readonly timeoutMs?: number | undefined;
}

/** Statements, and on whose behalf they are run. */
interface Turn {
  readonly context: RequestContext | undefined;
  readonly statements: readonly Statement[];
}

/** Connects to nothing yet: an outage at the start is one like any other. */
export function openDatabase(options: PoolOptions): Database {
  const walkLimits = {
    ...WALK_LIMITS,
    most: Math.max(1, Math.floor(options.poolSize / 4)),
    ...options.walks,
  };
  return databaseOn(openPool(options), options.statementTimeoutMs, walkLimits);
}

export function databaseOn(
  pool: SessionPool,
  statementTimeoutMs: number,
  walkLimits: WalkLimits = WALK_LIMITS,
): Database {
  const runInTurn: Database['runInTurn'] = (turns) => {
    const partsWithin = (timeoutMs: number) =>
      turns.map(({ context, statements }, index) => ({
        role: roleOf(context),
        settings: [index === 0 ? settingsOf(context, timeoutMs) : nextSettings(context)],
        statements,
        onSettings: index === 0 ? timingOf(context) : undefined,
      }));
    return timed(turns[0]?.context?.timeline, () =>
      pool.withSession((session) => {
        turns.forEach(({ statements }) => {
          statements.forEach(assertOnData);
        });
        return againIfVictim(session.timeoutMs(statementTimeoutMs), (timeoutMs) => {
          const parts = partsWithin(timeoutMs);
          return twiceIfStale(() => session.send(parts, 'idle'));
        });
      }),
    );
  };
  const runOnce = (
    context: RequestContext | undefined,
    statements: readonly Statement[],
  ): Promise<readonly Result[]> => runInTurn([{ context, statements }]).then(([results = []]) => results);
  const room = roomFor(walkLimits.most);
  const openWalk = walksOn(pool, room, statementTimeoutMs, walkLimits);

  return {
    runInTurn,
    run: runOnce,
    async transaction(context, work, { timeoutMs: longest } = {}) {
      const checked = (run: Run) =>
        work(async (...statements) => {
          statements.forEach(assertOnData);
          return run(...statements);
        });
      const { timeline } = context;
      const within = (limitMs: number) =>
        timed(timeline, () =>
          pool.withSession(
            (session) =>
              againIfVictim(session.timeoutMs(limitMs), (timeoutMs) =>
                runTransaction(
                  session,
                  roleOf(context),
                  settingsOf(context, timeoutMs),
                  checked,
                  timingOf(context),
                ),
              ),
            { limitMs: limitMs + GRACE_MS },
          ),
        );
      if (longest === undefined) return within(statementTimeoutMs);
      return room.lend(context.caller.subject, () => within(longest));
    },
    walk(context, statement) {
      assertOnData(statement);
      return timed(context.timeline, () => openWalk(context, statement));
    },
    callAsLogin: (statement) =>
      runOnce(undefined, [statement]).then(([result]) => {
        if (result === undefined) throw new Error('The server gave no result for a statement.');
        return result;
      }),
    close: (withinMs) => pool.close(withinMs),
    figures: () => ({ ...pool.figures(), longRequests: room.taken() }),
  };
}

/** deadlock_detected, serialization_failure: the server has undone all of it, so that the others could go on. */
const VICTIM = new Set(['40P01', '40001']);

/** Whether it may be done once more. A statement whose name the server did not know was never begun. */
function hasUndoneAll(error: unknown): boolean {
  return VICTIM.has(sqlState(error) ?? '') || isNameElsewhere(error);
}

/** A victim has changed nothing: it is tried once more, in what is left of its time. */
function againIfVictim<T>(timeoutMs: number, attempt: (timeoutMs: number) => Promise<T>): Promise<T> {
  const start = performance.now();
  return attempt(timeoutMs).catch(async (error: unknown) => {
    const left = Math.floor(timeoutMs - (performance.now() - start) - VICTIM_PAUSE_MS);
    if (left <= 0 || ![error, error instanceof Error && error.cause].some(hasUndoneAll)) throw error;
    await setTimeout(VICTIM_PAUSE_MS);
    return attempt(left);
  });
}

/** A pipeline that failed because a migration changed what was prepared has changed nothing: it is sent again. */
function twiceIfStale<T>(send: () => Promise<T>): Promise<T> {
  return send().catch((error: unknown) => {
    if (!isStalePlan(error)) throw error;
    return send();
  });
}

const ON_DATA = /^\s*(?:select|with|insert|update|delete|merge|values)\b/i;
const ON_SESSION = /\b(?:set_config|pg_(?:try_)?advisory_lock(?:_shared)?)\s*\(/i;

/** One statement is all that the extended protocol takes, so its first word says what it acts on. */
function assertOnData({ text }: Statement): void {
  if (!ON_DATA.test(text) || ON_SESSION.test(text)) {
    throw new TypeError('A statement must act on data, not on the session or the transaction.');
  }
}
