import { setTimeout } from 'node:timers/promises';
import { measureTransaction } from '../observed.ts';
import { sqlState } from './errors.ts';
import { isUnknownStatementName, isStalePlan } from './pipeline.ts';
import { SessionPool, type PoolOptions } from './pool.ts';
import type { RequestContext } from './request-settings.ts';
import { createLongRequestLimit, createRowStreams, DEFAULT_STREAM_LIMITS, type StreamLimits } from './row-stream.ts';
import {
  nextBatchSettingsStatement,
  determineDatabaseRole,
  buildSettingsStatement,
  createTimingRecorder,
} from './settings.ts';
import { assertDataStatements, type StatementResult, type Statement } from './statement.ts';
import { runTransaction, type TransactionCallback } from './transaction.ts';
import { STATEMENT_GRACE_MS, DEADLOCK_RETRY_PAUSE_MS } from '../limits.ts';

export type Database = ReturnType<typeof createDatabase>;

/** What the service does for itself, without a caller, needs only this of the database. */
export type DatabaseLogin = Pick<Database, 'callAsLogin'>;

export interface TransactionLimits {
  /** The time limit of a long request's transaction, and of each statement in the transaction. */
  readonly timeoutMs?: number | undefined;
}

/** One request's statements in a pipeline; if `context` is undefined, they run as the API's own database login. */
interface ContextStatements {
  readonly context: RequestContext | undefined;
  readonly statements: readonly Statement[];
}

interface DatabaseOptions extends PoolOptions {
  readonly streams?: Partial<StreamLimits>;
}

/** Creates the database access without opening a connection, because Postgres may be down when the service starts. */
export function openDatabase(options: DatabaseOptions): Database {
  const maxStreams = Math.max(1, Math.floor(options.poolSize / 4));
  const streamLimits = { ...DEFAULT_STREAM_LIMITS, maxStreams, ...options.streams };
  return createDatabase(new SessionPool(options), options.statementTimeoutMs, streamLimits);
}

/**
 * All SQL of the API goes through the object that this function returns.
 *
 * - A transaction is committed whole or not at all.
 * - A connection returns to the pool only if the server has confirmed that no transaction is open on the connection.
 * - Statements on the session (`set`, `begin`, `listen`, temporary tables, …) are refused before they are sent.
 * - If the HTTP client hangs up, its statements still run to their end, unless they wait for the client's other transactions.
 * - A transaction that Postgres rolled back because of a deadlock or a serialization failure is repeated once.
 * - If a request waits for a connection and uses it for longer than the statement time-out and one second together, the
 *   connection is destroyed.
 *
 * A database method throws pg's DatabaseError for an error that the server reports. A database method throws
 * RightMissing if the API's login lacks a right, and DatabaseUnavailable if the server does not answer or too many
 * requests wait. A database method throws TypeError or RangeError for a statement that it refuses to send.
 */
export function createDatabase(pool: SessionPool, statementTimeoutMs: number, streamLimits = DEFAULT_STREAM_LIMITS) {
  /** Sends all `batches` in one pipeline, and so in one transaction; each batch has the rights of its own `context`. */
  const runWithContexts = (batches: readonly ContextStatements[]): Promise<readonly (readonly StatementResult[])[]> => {
    const { timeline, caller, socket }: Partial<RequestContext> = batches[0]?.context ?? {};
    return measureTransaction(timeline, () =>
      pool.withSession(
        (session) => {
          for (const { statements } of batches) assertDataStatements(statements);
          return retryIfRolledBack(session.statementTimeoutMs(statementTimeoutMs), (timeoutMs) => {
            const withSettings = addSettings(batches, timeoutMs);
            return retryIfStalePlan(() => session.send(withSettings, 'idle'));
          });
        },
        { subject: caller?.subject, socket },
      ),
    );
  };
  const run = (
    context: RequestContext | undefined,
    statements: readonly Statement[],
  ): Promise<readonly StatementResult[]> =>
    runWithContexts([{ context, statements }]).then(([results = []]) => results);
  const longRequests = createLongRequestLimit(streamLimits.maxStreams);
  const openRowStream = createRowStreams(pool, longRequests, statementTimeoutMs, streamLimits);

  return {
    runWithContexts,
    run,
    /**
     * Runs `callback` in an explicit transaction, for statements that depend on each other's results. If `callback`
     * throws, or ignores a failed statement, the transaction is rolled back. After a deadlock `callback` runs again.
     */
    async transaction<T>(
      context: RequestContext,
      callback: TransactionCallback<T>,
      { timeoutMs: longMs }: TransactionLimits = {},
    ): Promise<T> {
      const { timeline, caller, socket } = context;
      const runWithin = (limitMs: number) =>
        measureTransaction(timeline, () =>
          pool.withSession(
            (session) =>
              retryIfRolledBack(session.statementTimeoutMs(limitMs), (timeoutMs) =>
                runTransaction(
                  session,
                  determineDatabaseRole(context),
                  buildSettingsStatement(context, timeoutMs),
                  callback,
                  createTimingRecorder(context),
                ),
              ),
            { limitMs: limitMs + STATEMENT_GRACE_MS, subject: caller.subject, socket },
          ),
        );
      if (longMs === undefined) return runWithin(statementTimeoutMs);
      return longRequests.run(caller.subject, () => runWithin(longMs));
    },
    /**
     * Reads all rows from one database snapshot, page by page. The stream of rows fails if its reader is too slow.
     * @throws RequestError ERROR_RATE_LIMITED for the caller's second long request, ERROR_UNAVAILABLE where there are
     * too many
     */
    stream(context: RequestContext, statement: Statement) {
      assertDataStatements([statement]);
      return measureTransaction(context.timeline, () => openRowStream(context, statement));
    },
    /** Runs one statement as the API's own database login, without the role and the settings of a request. */
    callAsLogin: (statement: Statement): Promise<StatementResult> =>
      runWithContexts([{ context: undefined, statements: [statement] }]).then(([results]) => {
        const result = results?.[0];
        if (result === undefined) throw new Error('The server gave no result for a statement.');
        return result;
      }),
    close: (withinMs?: number) => pool.close(withinMs),
    figures: () => ({ ...pool.figures(), longRequests: longRequests.running }),
  };
}

function addSettings(batches: readonly ContextStatements[], timeoutMs: number) {
  return batches.map(({ context, statements }, index) => ({
    role: determineDatabaseRole(context),
    settings: [index === 0 ? buildSettingsStatement(context, timeoutMs) : nextBatchSettingsStatement(context)],
    statements,
    onSettings: index === 0 ? createTimingRecorder(context) : undefined,
  }));
}

export async function readAsLogin(
  database: DatabaseLogin,
  text: string,
  ...values: Statement['values']
): Promise<StatementResult['rows']> {
  return (await database.callAsLogin({ text, values })).rows;
}

/** SQLSTATEs after which Postgres has rolled back the transaction: deadlock_detected and serialization_failure. */
const ROLLED_BACK_SQLSTATES = new Set(['40P01', '40001']);

/** True if Postgres rolled back the transaction, or never began it because a prepared statement was unknown. */
function isRolledBackError(error: unknown): boolean {
  return ROLLED_BACK_SQLSTATES.has(sqlState(error) ?? '') || isUnknownStatementName(error);
}

function retryIfRolledBack<T>(timeoutMs: number, attempt: (timeoutMs: number) => Promise<T>): Promise<T> {
  const startMs = performance.now();
  return attempt(timeoutMs).catch(async (error: unknown) => {
    const remainingMs = Math.floor(timeoutMs - (performance.now() - startMs) - DEADLOCK_RETRY_PAUSE_MS);
    if (remainingMs <= 0 || ![error, error instanceof Error && error.cause].some(isRolledBackError)) throw error;
    await setTimeout(DEADLOCK_RETRY_PAUSE_MS);
    return attempt(remainingMs);
  });
}

/** Repeats a pipeline if a prepared statement was unknown or outdated; the failed pipeline stored nothing. */
function retryIfStalePlan<T>(send: () => Promise<T>): Promise<T> {
  return send().catch((error: unknown) => {
    if (!isStalePlan(error)) throw error;
    return send();
  });
}
