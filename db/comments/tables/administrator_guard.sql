comment on table app.administrator_guard is
    'One row, updated by every change that removes an ADMIN without a list, so that two at once wait for each other.';
comment on column app.administrator_guard.passed_at is 'Time of the last update.';
