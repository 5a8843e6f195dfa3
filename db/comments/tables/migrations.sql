comment on table app.migrations is
    'The migrations that are applied here; db:migrate reads it and refuses a file that is no longer what was applied.';

comment on column app.migrations.id is 'In the order of their application.';
comment on column app.migrations.name is 'The name of the file without .sql.';
comment on column app.migrations.run_on is 'When it was applied, in the time zone of the session that applied it.';
comment on column app.migrations.digest is
    'SHA-256 of the file as it was applied, in hex; null until the first run of a release that keeps it.';
comment on sequence app.migrations_id_seq is 'Numbers the migrations; nothing else reads it.';
