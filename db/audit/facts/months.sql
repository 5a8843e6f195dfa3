-- After a month was removed, the log has only those of its records that arrived later.
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
        -- An archive contains a whole month, so the view compares the archive only if every day of the month was
        -- counted.
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
    'Months of the audit log: the records counted at the end of each day, and the records present now.';
comment on column audit.months.month is 'First day of the month, in UTC.';
comment on column audit.months.begins is 'First day with a count.';
comment on column audit.months.ends is 'Day after the last day with a count.';
comment on column audit.months.days is 'Number of days with a count.';
comment on column audit.months.counted is 'Number of records that were counted on these days.';
comment on column audit.months.is_removed is 'True if npm run audit:archive removed the month.';
comment on column audit.months.missing is 'Number of lost records; 0 or less if none is lost.';
comment on column audit.months.present is 'Number of records present now; late records may increase it.';
