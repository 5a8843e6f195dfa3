import type pg from 'pg';

/** The sessions that one waits for, and their locks on the house. */
const BLOCKERS = `
  select
      b.pid,
      coalesce(a.usename::text, a.backend_type, 'unknown') as login,
      coalesce(a.application_name, '') as application,
      to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS"Z"') as since,
      held.locks as holds
  from pg_stat_activity as waiter
  cross join lateral (select distinct unnest(pg_blocking_pids(waiter.pid)) as pid) as b
  left join pg_stat_activity as a on a.pid = b.pid
  cross join lateral (
      select string_agg(distinct format('%s on %I.%I', h.mode, n.nspname, c.relname), ', ') as locks
      from pg_locks as h
      join pg_class as c on c.oid = h.relation and c.relkind in ('r', 'v') and c.relowner = to_regrole('taxclaims_owner')
      join pg_namespace as n on n.oid = c.relnamespace
      where h.granted and h.pid = b.pid
          and h.database = (select d.oid from pg_database as d where d.datname = current_database())
  ) as held
  where waiter.pid = $1 and waiter.wait_event_type = 'Lock'
  order by b.pid`;

export interface Blocker {
  readonly pid: number;
  readonly login: string;
  readonly application: string;
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

export function describe({ pid, login, application, since, holds }: Blocker): string {
  const when = since === null ? 'since when needs pg_read_all_stats to see' : `since ${since}`;
  return `pid ${pid} (login ${login}, application ${JSON.stringify(application)}, ${when}, holds ${holds ?? 'no table of the house'})`;
}
