import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { AdminConnection } from './admin-connection.ts';
import { DEPLOY_UNBLOCKED_MS, DEPLOY_BLOCKERS_LOG_PAUSE_MS } from '../../limits.ts';
import { oneLineReason } from '../../single-line.ts';
import { MigrationError } from './migration-error.ts';

interface WatchOptions {
  readonly log: Logger;
  readonly reportAfterMs: number;
  readonly evict: boolean;
  /** The pause between two queries for blocking sessions; it must be shorter than the deploy's lock time-out. */
  readonly pollMs: number;
}

/** Watches, over a second connection, which sessions block the deploy's connection, and logs them. */
export class BlockerWatch {
  readonly #options: WatchOptions;
  #latest: readonly Blocker[] = [];

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  lastBlockers(): string {
    return this.#latest.length === 0 ? 'an unknown session' : describeBlockers(this.#latest);
  }

  /** Destroys both connections, `waiter` and `watcher`, if the server does not answer `watcher` in ten seconds. */
  async during<T>(
    step: string,
    waiter: AdminConnection,
    watcher: AdminConnection,
    operation: () => Promise<T>,
  ): Promise<T> {
    const end = new AbortController();
    let lost: Error | undefined;
    const watching = this.#watch(step, waiter, watcher, end.signal).catch((cause: unknown) => {
      if (end.signal.aborted) return;
      lost = new MigrationError(
        `${step}: the server no longer answers (${oneLineReason(cause)}): run the command again`,
        {
          cause,
        },
      );
      waiter.destroy();
      watcher.destroy();
    });
    try {
      return await operation();
    } catch (error) {
      throw lost ?? error;
    } finally {
      end.abort();
      await watching;
    }
  }

  async #watch(step: string, waiter: AdminConnection, watcher: AdminConnection, end: AbortSignal): Promise<void> {
    const { log, reportAfterMs, evict, pollMs } = this.#options;
    const start = performance.now();
    let since: number | undefined;
    let blockedAt = 0;
    let reportedAt = start;
    for (;;) {
      const now = performance.now();
      const overdue = since !== undefined && now - since >= reportAfterMs;
      const due = now - reportedAt >= DEPLOY_BLOCKERS_LOG_PAUSE_MS;
      const blockers = await watcher.answered((client) => findBlockersOf(client, waiter.pid, evict && overdue));
      if (blockers.length > 0) {
        this.#latest = blockers;
        blockedAt = now;
        since ??= now;
        const ended = blockers.filter((blocker) => blocker.ended);
        if (ended.length > 0) log.warn(`ended sessions that blocked ${step}: ${describeBlockers(ended)}`);
        if (overdue && (reportedAt < since || due)) {
          reportedAt = now;
          log.warn(`${step} has waited ${secondsText(now - since)} for ${describeBlockers(blockers)}`);
        }
      } else if (now - blockedAt > DEPLOY_UNBLOCKED_MS) {
        since = undefined;
        if (due) {
          reportedAt = now;
          log.info(`${step} has been running for ${secondsText(now - start)}`);
        }
      }
      await setTimeout(pollMs, undefined, { signal: end });
    }
  }
}

function secondsText(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/**
 * SQL for the sessions that block the session with pid $1. If $2 is true, BLOCKERS_QUERY also ends each blocking
 * session whose login has only the rights of reporting.
 */
const BLOCKERS_QUERY = `
  select
      b.pid,
      coalesce(a.usename::text, p.owner::text, a.backend_type, 'unknown') as login,
      coalesce(a.application_name, '') as application,
      p.gid as prepared,
      to_char(coalesce(a.xact_start, p.prepared) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') as since,
      held.locks as holds,
      case when $2 and held.awaited and reporting.only then pg_terminate_backend(b.pid) else false end as ended
  from pg_stat_activity as waiter
  cross join lateral (select distinct unnest(pg_blocking_pids(waiter.pid)) as pid) as b
  left join pg_stat_activity as a on a.pid = b.pid and b.pid <> 0
  left join pg_prepared_xacts as p on b.pid = 0 and p.database = current_database()
  cross join lateral (
      select
          string_agg(distinct format('%s on %I.%I', h.mode, n.nspname, c.relname), ', ') as locks,
          coalesce(bool_or(exists (
              select from pg_locks as w
              where w.pid = waiter.pid and not w.granted and w.database = h.database and w.relation = h.relation
          )), false) as awaited
      from pg_locks as h
      join pg_class as c on c.oid = h.relation and c.relkind in ('r', 'v') and c.relowner = to_regrole('taxclaims_owner')
      join pg_namespace as n on n.oid = c.relnamespace
      where h.granted
          and h.database = (select d.oid from pg_database as d where d.datname = current_database())
          and (
              h.pid = b.pid
              -- What was prepared has kept the number of the session's transaction, and lost the session.
              or h.pid is null and h.virtualtransaction in (
                  select x.virtualtransaction
                  from pg_locks as x
                  where x.pid is null and x.locktype = 'transactionid' and x.transactionid = p.transaction
              )
          )
  ) as held
  cross join lateral (
      select
          coalesce(pg_has_role(a.usesysid, to_regrole('taxclaims_reporting'), 'MEMBER'), false)
          and not exists (
              select from pg_roles as r
              where pg_has_role(a.usesysid, r.oid, 'MEMBER')
                  and (
                      r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolbypassrls
                      or (
                          r.oid <> a.usesysid
                          and r.rolname not in ('taxclaims_reporting_all', 'taxclaims_reporting_few')
                          and not pg_has_role(r.oid, to_regrole('taxclaims_reporting'), 'MEMBER')
                      )
                  )
          ) as only
  ) as reporting
  where waiter.pid = $1 and waiter.wait_event_type = 'Lock'
  order by b.pid`;

interface Blocker {
  readonly pid: number;
  readonly login: string;
  readonly application: string;
  /** The name of the prepared transaction that blocks the deploy; null if a session blocks the deploy. */
  readonly prepared: string | null;
  /** When the blocking session's transaction began; null if the administrator may not see the time. */
  readonly since: string | null;
  readonly holds: string | null;
  readonly ended: boolean;
}

async function findBlockersOf(watcher: pg.Client, pid: number, evict: boolean): Promise<Blocker[]> {
  // Clears the snapshot of pg_stat_activity, which Postgres otherwise keeps until the transaction ends.
  await watcher.query('select pg_stat_clear_snapshot()');
  const { rows } = await watcher.query<Blocker>(BLOCKERS_QUERY, [pid, evict]);
  return rows;
}

function describeBlockers(blockers: readonly Blocker[]): string {
  return blockers.map(blockerText).join('; ');
}

function blockerText({ pid, login, application, prepared, since, holds }: Blocker): string {
  const who =
    prepared === null
      ? `pid ${pid} (login ${login}, application ${JSON.stringify(application)}`
      : `the prepared transaction ${JSON.stringify(prepared)} (of ${login}`;
  const time = since === null ? 'begin visible only with pg_read_all_stats' : `since ${since}`;
  return `${who}, ${time}, holds ${holds ?? 'no table of the service'})`;
}
