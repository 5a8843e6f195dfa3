-- The service creates the audit log partitions of the present month and the next three. audit_log.later stores records
-- of months without a partition. An audit record whose time lies in a gap between partitions cannot be written.
create view audit.finding_audit_month_missing with (security_invoker) as
with parts as (
    select
        c.relname,
        coalesce(bound.limits[1]::timestamptz, '-infinity') as begins,
        coalesce(bound.limits[2]::timestamptz, 'infinity') as ends
    from pg_catalog.pg_inherits as i
    join pg_catalog.pg_class as c on c.oid = i.inhrelid
    cross join lateral (
        select pg_catalog.regexp_match(
            pg_catalog.pg_get_expr(c.relpartbound, 0),
            $bounds$FROM \((?:'([^']+)'|MINVALUE)\) TO \((?:'([^']+)'|MAXVALUE)\)$bounds$
        ) as limits
    ) as bound
    join pg_catalog.pg_class as log on log.oid = i.inhparent and log.relname = 'months'
    join pg_catalog.pg_namespace as n on n.oid = log.relnamespace and n.nspname = 'audit_log'
)
select
    'error' as level,
    'audit_log.months' as object,
    pg_catalog.format(
        'has no partition from %s to %s: every write at such a time fails',
        gap.begins at time zone 'UTC',
        gap.ends at time zone 'UTC'
    ) as detail,
    case
        when '-infinity' = gap.begins then 'attach audit_log.earlier again'
        when 'infinity' = gap.ends then 'attach audit_log.later again'
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
    'the audit log has no partition for this month: its records go to audit_log.later',
    'select app.place_audit_records(); -- and find out why the service did not create the partition'
from parts as p
where p.ends = 'infinity'
    and p.begins at time zone 'UTC' < pg_catalog.date_trunc('month', pg_catalog.now() at time zone 'UTC') + interval '2 months'
union all
select
    'warning',
    'audit_log.later',
    'has or had records without a monthly partition, or dated far in the future by a wrong clock: no archive includes them',
    'select app.place_audit_records(); -- records dated further ahead stay in audit_log.later until their month comes'
from pg_catalog.pg_class as c
join pg_catalog.pg_namespace as n on n.oid = c.relnamespace and n.nspname = 'audit_log'
where c.relname = 'later' and pg_catalog.pg_relation_size(c.oid) > 0;

comment on view audit.finding_audit_month_missing is
    'The audit log lacks the partition of a month, or has records outside the partition of their month. Cause: the '
    'service did not run for months, a clock was wrong, a lock on the audit log stopped the service, or somebody '
    'removed a month. Mend: call app.place_audit_records as a member of taxclaims_owner.';
