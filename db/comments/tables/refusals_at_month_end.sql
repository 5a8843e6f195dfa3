comment on table app.refusals_at_month_end is
    'Ids of refusals near the end of a month, so that audit_logs stores each of these refusals in one month only. '
    'The service deletes rows after forty days.';
comment on column app.refusals_at_month_end.id is 'Id of the refusal in audit_logs.';
comment on column app.refusals_at_month_end.written_at is 'Time at which the row was written.';
