comment on table app.administrator_guard is
    'A table with one row. A transaction that takes the access to all clients from an ADMIN updates this row. '
    'Two such transactions wait for each other, so that they cannot take it from the last two ADMINs at once.';
comment on column app.administrator_guard.passed_at is 'Time of the last update of the row.';
