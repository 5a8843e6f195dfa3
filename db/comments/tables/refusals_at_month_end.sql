comment on table app.refusals_at_month_end is
    'The refusals of the last and the first day of a month, so that one that is told twice is kept once, whatever month '
    'it is said to be of. Forgotten after forty days.';
comment on column app.refusals_at_month_end.id is 'The id of the refusal, as in audit_logs.';
comment on column app.refusals_at_month_end.written_at is 'When it was written down.';
