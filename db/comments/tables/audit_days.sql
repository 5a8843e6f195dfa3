comment on table app.audit_days is
    'How many records the audit log had of each day, by UTC, counted an hour after its end. Only added to. audit.months '
    'compares.';
comment on column app.audit_days.day is 'The day, by UTC.';
comment on column app.audit_days.records is 'How many records it had.';
comment on column app.audit_days.counted_at is 'When they were counted.';
