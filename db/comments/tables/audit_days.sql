comment on table app.audit_days is
    'Number of audit records of each day in UTC, counted an hour after the day and never changed. audit.months '
    'compares it with the log.';
comment on column app.audit_days.day is 'The day, in UTC.';
comment on column app.audit_days.records is 'Number of records of the day.';
comment on column app.audit_days.counted_at is 'Time of the count.';
