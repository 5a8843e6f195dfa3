-- How many records the audit log had of each day when that was over: where it has fewer later, records were lost.
create table app.audit_days (
    day date primary key,
    records bigint not null,
    counted_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    constraint audit_days_records_counted check (records >= 0)
);

alter table app.audit_days enable row level security;
alter table app.audit_days force row level security;
