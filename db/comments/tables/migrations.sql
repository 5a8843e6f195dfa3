comment on table app.migrations is 'Applied migrations. db:migrate refuses to run if an applied file has changed.';

comment on column app.migrations.id is 'Order of application.';
comment on column app.migrations.name is 'Name of the file without .sql.';
comment on column app.migrations.run_on is 'Time at which the migration was applied, in the time zone of that session.';
comment on column app.migrations.digest is
    'SHA-256 of the applied file, in hexadecimal digits; null if no release that stores it has run yet.';
comment on sequence app.migrations_id_seq is 'Numbers the migrations.';
