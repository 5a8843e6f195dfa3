comment on table app.administrator_guard is
    'A table with one row. A transaction that ends an ADMIN''s access to all clients updates the row of this table. '
    'Updates of the row run one after the other, so that at least one ADMIN keeps access to all clients.';
comment on column app.administrator_guard.passed_at is 'Time of the last update of the row.';
