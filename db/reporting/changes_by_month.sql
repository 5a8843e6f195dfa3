-- The view leaves out audit records of older releases, which did not store the kind of the write.
create or replace view reporting.changes_by_month with (security_invoker) as
select
    pg_catalog.date_trunc('month', a.created_at at time zone 'Europe/Paris')::date as month,
    a.client_context as client_id,
    a.resource_type as resource,
    a.kind,
    pg_catalog.count(*) as changes
from public.audit_logs as a
where a.kind is not null
group by 1, 2, 3, 4;

comment on view reporting.changes_by_month is
    'Number of created, changed and deleted records of the granted clients, by month. '
    'Months that were archived and removed from the audit log are missing.';
comment on column reporting.changes_by_month.month is 'First day of the month, in Europe/Paris. Joins reporting.calendar.day.';
comment on column reporting.changes_by_month.resource is 'Table of the records, such as reclamations.';
comment on column reporting.changes_by_month.kind is 'What was done to the records: created, changed or deleted.';
comment on column reporting.changes_by_month.changes is 'Number of writes.';
grant select on reporting.changes_by_month to taxclaims_reporting;
