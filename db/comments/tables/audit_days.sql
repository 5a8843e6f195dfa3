comment on table app.audit_days is
    'Number of audit records of each day in UTC, counted an hour after the end of the day and never changed. The view '
    'audit.months compares these numbers with the records in the log.';
comment on column app.audit_days.day is 'Day whose audit records were counted, in UTC.';
comment on column app.audit_days.records is 'Number of audit records of the day.';
comment on column app.audit_days.counted_at is 'Time at which the records were counted.';
