import type pg from 'pg';

/** A part of the audit log, from whose beginning to whose end it holds every record; in UTC, as YYYY-MM. */
export interface Part {
  readonly name: string;
  /** The first month of which it holds records. */
  readonly from: string;
  /** The first month after it. */
  readonly to: string;
}

/** What is archived of a month, the last time that it was. */
export interface Latest {
  readonly number: number;
  readonly month: string;
  readonly records: number;
  readonly digest: string;
  readonly file: string;
  readonly isRemoved: boolean;
}

/** The parts of the log that hold whole months, oldest first. What was before the months begins with its first record. */
const PARTS = `
  select
      c.oid::regclass::text as name,
      to_char(coalesce(
          bounds.said[1]::timestamptz,
          (select a.created_at from public.audit_logs as a where a.created_at < bounds.latest order by a.created_at limit 1),
          bounds.latest
      ) at time zone 'UTC', 'YYYY-MM') as "from",
      to_char(bounds.latest at time zone 'UTC', 'YYYY-MM') as "to"
  from pg_inherits as i
  join pg_class as c on c.oid = i.inhrelid
  cross join lateral (
      select
          case when count(*) = 2 then array_agg(found.bound[1] order by found.place) end as said,
          ((array_agg(found.bound[1] order by found.place desc))[1])::timestamptz as latest
      from regexp_matches(pg_get_expr(c.relpartbound, c.oid), '\\(''([^'']+)''\\)', 'g')
          with ordinality as found (bound, place)
  ) as bounds
  where i.inhparent = 'audit_log.months'::regclass and bounds.latest is not null
  order by bounds.latest`;

/** As taxclaims_housekeeper, whom the log is open to for reading. */
export async function readParts(client: pg.Client): Promise<readonly Part[]> {
  return (await client.query<Part>(PARTS)).rows;
}

export async function readLatest(client: pg.Client): Promise<readonly Latest[]> {
  const { rows } = await client.query<Latest>(
    `select distinct on (month)
        number, to_char(month, 'YYYY-MM') as month, records::integer, digest, file, removed_at is not null as "isRemoved"
     from audit.archives
     order by month, number desc`,
  );
  return rows;
}

export function monthAfter(month: string): string {
  const [year = 0, of = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, of, 1)).toISOString().slice(0, 7);
}

/** The months from the first to before the last. */
export function monthsBetween(from: string, to: string): string[] {
  const months: string[] = [];
  for (let month = from; month < to; month = monthAfter(month)) months.push(month);
  return months;
}

export const beginningOf = (month: string): string => `${month}-01 00:00:00+00`;
