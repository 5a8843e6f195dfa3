comment on table app.administrator_guard is
    'A table with one row. A transaction that takes the access to all clients from an ADMIN updates the row. Two '
    'transactions of this kind run one after the other, so that at least one ADMIN keeps access to all clients.';
comment on column app.administrator_guard.passed_at is 'Time of the last update of the row.';
