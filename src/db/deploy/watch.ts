import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { AdminConnection } from './admin-connection.ts';
import { DEPLOY_CLEAR_MS, DEPLOY_SAY_AGAIN_MS } from '../../limits.ts';
import { MigrationError, reasonOf } from './migration-error.ts';

/** Logs, through a second connection, which sessions block the first. */
export function createWatch({
  log,
  sayAfterMs,
  evict,
  everyMs,
}: {
  readonly log: Logger;
  readonly sayAfterMs: number;
  readonly evict: boolean;
  /** Shorter than the lock time-out of a deploy, or the blocking sessions would be missed. */
  readonly everyMs: number;
}) {
  let last: readonly Blocker[] = [];

  async function look(what: string, waiter: AdminConnection, watcher: AdminConnection, over: AbortSignal) {
    const start = performance.now();
    let blockedSince: number | undefined;
    let blockedLast = 0;
    let saidLast = start;
    for (;;) {
      const now = performance.now();
      const waited = blockedSince === undefined ? 0 : now - blockedSince;
      const isLong = blockedSince !== undefined && waited >= sayAfterMs;
      const blockers = await watcher.answered((client) => blockersOf(client, waiter.pid, evict && isLong));
      if (blockers.length > 0) {
        last = blockers;
        blockedLast = now;
        blockedSince ??= now;
        const ended = blockers.filter((blocker) => blocker.ended);
        if (ended.length > 0)
          log.warn(`ended because it was in the way of ${what}: ${describeBlockers(ended)}`);
        if (isLong && (saidLast < blockedSince || now - saidLast >= DEPLOY_SAY_AGAIN_MS)) {
          saidLast = now;
          log.warn(`${what} has waited ${seconds(waited)} for ${describeBlockers(blockers)}`);
        }
      } else if (now - blockedLast > DEPLOY_CLEAR_MS) {
        blockedSince = undefined;
        if (now - saidLast >= DEPLOY_SAY_AGAIN_MS) {
          saidLast = now;
          log.info(`${what} is at work since ${seconds(now - start)}`);
        }
      }
      await setTimeout(everyMs, undefined, { signal: over });
    }
  }

  return {
    /** Destroys both connections where the server does not answer the watcher within ten seconds. */
    async during<T>(
      what: string,
      waiter: AdminConnection,
      watcher: AdminConnection,
      work: () => Promise<T>,
    ): Promise<T> {
      const over = new AbortController();
      let lost: Error | undefined;
      const looking = look(what, waiter, watcher, over.signal).catch((error: unknown) => {
        if (over.signal.aborted) return;
        lost = new MigrationError(`${what}: the server answers no more (${reasonOf(error)}); run it again`, {
          cause: error,
        });
        waiter.destroy();
        watcher.destroy();
      });
      try {
        return await work();
      } catch (error) {
        throw lost ?? error;
      } finally {
        over.abort();
        await looking;
      }
    },
    lastBlockers: () => (last.length === 0 ? 'nobody who could be named' : describeBlockers(last)),
  };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/** Sessions that block $1. With $2 it ends those of logins that have, by no membership, more rights than reporting. */
const BLOCKERS = `
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
  /** The name of a prepared transaction, which no session holds. */
  readonly prepared: string | null;
  /** When its transaction began; null where the administrator may not see it. */
  readonly since: string | null;
  readonly holds: string | null;
  readonly ended: boolean;
}

async function blockersOf(watcher: pg.Client, pid: number, evict: boolean): Promise<Blocker[]> {
  // Within a transaction Postgres shows the same snapshot of the sessions again.
  await watcher.query('select pg_stat_clear_snapshot()');
  const { rows } = await watcher.query<Blocker>(BLOCKERS, [pid, evict]);
  return rows;
}

function describeBlockers(blockers: readonly Blocker[]): string {
  return blockers.map(describe).join('; ');
}

function describe({ pid, login, application, prepared, since, holds }: Blocker): string {
  const who =
    prepared === null
      ? `pid ${pid} (login ${login}, application ${JSON.stringify(application)}`
      : `the prepared transaction ${JSON.stringify(prepared)} (of ${login}`;
  const when = since === null ? 'since when needs pg_read_all_stats to see' : `since ${since}`;
  return `${who}, ${when}, holds ${holds ?? 'no table of the house'})`;
}
