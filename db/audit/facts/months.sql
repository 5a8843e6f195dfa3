-- A month that was removed after it was archived has no more to hold than what came late and was archived since.
create view audit.months with (security_invoker) as
select
    m.month,
    m.begins,
    m.ends,
    m.days,
    m.counted,
    m.present,
    a.is_removed,
    greatest(
        case when a.is_removed then 0 else m.counted end,
        -- An archive has the whole month.
        case when m.begins = m.month and m.ends >= m.month + interval '1 month' then a.archived end
    ) - m.present as missing
from app.audit_months() as m
cross join lateral (
    select
        coalesce(pg_catalog.bool_or(archive.removed_at is not null), false) as is_removed,
        (pg_catalog.array_agg(archive.records order by archive.number desc) filter (where archive.removed_at is null))[1] as archived
    from audit.archives as archive
    where archive.month = m.month
) as a;

comment on view audit.months is
    'The months of the audit log: how many records their days had once they were over, and how many are there now.';
comment on column audit.months.month is 'The first day of the month, by UTC.';
comment on column audit.months.begins is 'The first day that was counted.';
comment on column audit.months.ends is 'The day after the last one that was counted.';
comment on column audit.months.days is 'How many days have a count.';
comment on column audit.months.counted is 'How many records these days had.';
comment on column audit.months.is_removed is 'Whether npm run audit:archive has removed it.';
comment on column audit.months.missing is 'How many records are gone otherwise; not above 0 when all is well.';
comment on column audit.months.present is 'How many records of this time there are now; more where some came late.';
