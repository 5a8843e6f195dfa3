import type pg from 'pg';

/** The sessions that one waits for, and their locks on the house. */
const BLOCKERS = `
  select
      b.pid,
      coalesce(a.usename::text, p.owner::text, a.backend_type, 'unknown') as login,
      coalesce(a.application_name, '') as application,
      p.gid as prepared,
      to_char(coalesce(a.xact_start, p.prepared) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') as since,
      held.locks as holds
  from pg_stat_activity as waiter
  cross join lateral (select distinct unnest(pg_blocking_pids(waiter.pid)) as pid) as b
  left join pg_stat_activity as a on a.pid = b.pid and b.pid <> 0
  left join pg_prepared_xacts as p on b.pid = 0 and p.database = current_database()
  cross join lateral (
      select string_agg(distinct format('%s on %I.%I', h.mode, n.nspname, c.relname), ', ') as locks
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
  where waiter.pid = $1 and waiter.wait_event_type = 'Lock'
  order by b.pid`;

export interface Blocker {
  readonly pid: number;
  readonly login: string;
  readonly application: string;
  readonly prepared: string | null;
  /** Null where the administrator may not see it. */
  readonly since: string | null;
  /** Its locks on tables of the house. */
  readonly holds: string | null;
}

export async function blockersOf(watcher: pg.Client, pid: number): Promise<Blocker[]> {
  // Within a transaction Postgres would show the sessions of the first look again.
  await watcher.query('select pg_stat_clear_snapshot()');
  const { rows } = await watcher.query<Blocker>(BLOCKERS, [pid]);
  return rows;
}

export function describe({ pid, login, application, prepared, since, holds }: Blocker): string {
  const who =
    prepared === null
      ? `pid ${pid} (login ${login}, application ${JSON.stringify(application)}`
      : `the prepared transaction ${JSON.stringify(prepared)} (of ${login}`;
  const when = since === null ? 'since when needs pg_read_all_stats to see' : `since ${since}`;
  return `${who}, ${when}, holds ${holds ?? 'no table of the house'})`;
}
