comment on table app.administrator_guard is
    'A single row. Every change that removes an ADMIN without a list of clients updates the row, so that two such '
    'changes wait for each other.';
comment on column app.administrator_guard.passed_at is 'Time of the last update.';
