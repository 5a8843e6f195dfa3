-- After npm run audit:archive removed a month, the audit log has only records of the month that arrived after that.
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
        -- An archive has the records of a whole month, so audit.months compares it only with a month of which
        -- app.audit_days has the first and the last day.
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
    'Months of the audit log, with the number of records counted in app.audit_days and the number in the log now.';
comment on column audit.months.month is 'First day of the month, in UTC.';
comment on column audit.months.begins is 'Earliest day in app.audit_days for this month.';
comment on column audit.months.ends is 'Day after the latest day in app.audit_days for this month.';
comment on column audit.months.days is 'Number of days in app.audit_days for this month.';
comment on column audit.months.counted is 'Sum of the numbers of records in app.audit_days for this month.';
comment on column audit.months.is_removed is 'True if npm run audit:archive removed the month.';
comment on column audit.months.missing is 'Number of audit records that were lost; 0 or less if none was lost.';
comment on column audit.months.present is
    'Number of records of the month that the audit log has now; records that arrive late increase the number.';
