comment on table app.refusals_at_month_end is
    'Ids of refusals near the end of a month, so that a refusal sent twice is stored once. Rows are deleted after '
    'forty days.';
comment on column app.refusals_at_month_end.id is 'id of the refusal in audit_logs.';
comment on column app.refusals_at_month_end.written_at is 'Time at which the row was written.';
