comment on table app.refusals_at_month_end is
    'Ids of requests refused near the end of a month, so that audit_logs stores each of them in one month only. '
    'The service deletes rows after forty days.';
comment on column app.refusals_at_month_end.id is 'Id of the refused request''s audit record in audit_logs.';
comment on column app.refusals_at_month_end.written_at is 'Time at which the row was written.';
