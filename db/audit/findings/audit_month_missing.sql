-- Two months ahead are made by the service. audit_log.later holds records for which no month existed; a gap makes
-- writes fail.
create view audit.finding_audit_month_missing with (security_invoker) as
with parts as (
    select
        c.relname,
        coalesce(bound.said[1]::timestamptz, '-infinity') as begins,
        coalesce(bound.said[2]::timestamptz, 'infinity') as ends
    from pg_catalog.pg_inherits as i
    join pg_catalog.pg_class as c on c.oid = i.inhrelid
    cross join lateral (
        select pg_catalog.regexp_match(
            pg_catalog.pg_get_expr(c.relpartbound, 0),
            $bounds$FROM \((?:'([^']+)'|MINVALUE)\) TO \((?:'([^']+)'|MAXVALUE)\)$bounds$
        ) as said
    ) as bound
    -- By the catalog: auditors have no right to schema audit_log.
    join pg_catalog.pg_class as log on log.oid = i.inhparent and log.relname = 'months'
    join pg_catalog.pg_namespace as n on n.oid = log.relnamespace and n.nspname = 'audit_log'
)
select
    'error' as level,
    'audit_log.months' as object,
    pg_catalog.format(
        'has no part from %s until %s: a record of that time, and the write that it tells of, is refused',
        gap.begins at time zone 'UTC',
        gap.ends at time zone 'UTC'
    ) as detail,
    case
        when '-infinity' = gap.begins then 'attach audit_log.earlier to it again'
        when 'infinity' = gap.ends then 'attach audit_log.later to it again'
        else 'select app.place_audit_records();'
    end as remedy
from (
    select p.ends as begins, pg_catalog.lead(p.begins) over (order by p.begins, p.ends) as ends
    from (
        select begins, ends from parts
        union all
        values
            ('-infinity'::timestamptz, '-infinity'::timestamptz),
            ('infinity', 'infinity')
    ) as p
) as gap
where gap.begins < gap.ends
union all
select
    'warning',
    'month_' || pg_catalog.to_char(p.begins at time zone 'UTC', 'YYYY_MM'),
    'the audit log has no part for it: records of it go to audit_log.later',
    'select app.place_audit_records(); -- and find out why the service did not make it'
from parts as p
where p.ends = 'infinity'
    and p.begins at time zone 'UTC' < pg_catalog.date_trunc('month', pg_catalog.now() at time zone 'UTC') + interval '2 months'
union all
select
    'warning',
    'audit_log.later',
    'holds records, or did, for which no month was made in time, or which a clock has dated far ahead: no archive has them',
    'select app.place_audit_records(); -- what is dated behind the months to come stays there until they have come'
from pg_catalog.pg_class as c
join pg_catalog.pg_namespace as n on n.oid = c.relnamespace and n.nspname = 'audit_log'
where c.relname = 'later' and pg_catalog.pg_relation_size(c.oid) > 0;

comment on view audit.finding_audit_month_missing is
    'Audit records lie outside the partitions of their months. Comes of a service that was off for months, a wrong clock, '
    'a lock on the log, or a month removed by hand. Mend: app.place_audit_records, as a member of taxclaims_owner.';
