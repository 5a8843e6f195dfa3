comment on table app.refusals_at_month_end is
    'Refusals of the first and last day of a month, so that one sent twice is stored once. Deleted after forty days.';
comment on column app.refusals_at_month_end.id is 'id of the refusal in audit_logs.';
comment on column app.refusals_at_month_end.written_at is 'Time of the record.';
