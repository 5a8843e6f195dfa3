import type pg from 'pg';

/** A partition of the audit log; months are in UTC, as YYYY-MM. */
export interface Partition {
  readonly name: string;
  /** True for the oldest partition, which has no lower bound. */
  readonly isOpen: boolean;
  readonly months: readonly string[];
  readonly to: string;
}

export interface LatestArchive {
  readonly number: number;
  readonly month: string;
  readonly records: number;
  readonly digest: string;
  readonly file: string;
  readonly isRemoved: boolean;
}

/**
 * Selects the partitions of the audit log, oldest first. The oldest partition has no lower bound, so the query looks up
 * in an index which months have records in it.
 */
const PARTITIONS_QUERY = `
  select
      p.part::text as name,
      p.begins = '-infinity' as "isOpen",
      case p.begins
          when '-infinity' then array(
              with recursive months as (
                  (
                      select date_trunc('month', a.created_at at time zone 'UTC') as month
                      from public.audit_logs as a
                      where a.created_at < p.ends at time zone 'UTC'
                      order by a.created_at
                      limit 1
                  )
                  union all
                  select following.month
                  from months as m
                  cross join lateral (
                      select date_trunc('month', a.created_at at time zone 'UTC') as month
                      from public.audit_logs as a
                      where a.created_at >= (m.month + interval '1 month') at time zone 'UTC'
                          and a.created_at < p.ends at time zone 'UTC'
                      order by a.created_at
                      limit 1
                  ) as following
              )
              select to_char(m.month, 'YYYY-MM') from months as m order by m.month
          )
          else array[to_char(p.begins, 'YYYY-MM')]
      end as months,
      to_char(p.ends, 'YYYY-MM') as "to"
  from audit_log.parts() as p
  where p.ends < 'infinity'
  order by p.ends`;

export async function readPartitions(client: pg.Client): Promise<readonly Partition[]> {
  return (await client.query<Partition>(PARTITIONS_QUERY)).rows;
}

export async function readLatestArchives(client: pg.Client): Promise<readonly LatestArchive[]> {
  const { rows } = await client.query<LatestArchive>(
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

export const startOfMonth = (month: string): string => `${month}-01 00:00:00+00`;
