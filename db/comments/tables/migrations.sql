comment on table app.migrations is
    'Applied migrations. The command db:migrate refuses to run if the file of an applied migration has changed.';

comment on column app.migrations.id is 'Order of application.';
comment on column app.migrations.name is 'Name of the migration file without .sql.';
comment on column app.migrations.run_on is
    'Time at which the migration was applied, in the time zone of the session that applied it.';
comment on column app.migrations.digest is
    'SHA-256 of the migration file, in hexadecimal digits; null until a release that stores digests is deployed.';
comment on sequence app.migrations_id_seq is 'Numbers the migrations.';
