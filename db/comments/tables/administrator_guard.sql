comment on table app.administrator_guard is
    'One row, written by whoever makes an ADMIN without a list fewer, so that two at once do not each count on the '
    'other.';
comment on column app.administrator_guard.passed_at is 'When it was written last.';
