comment on table app.primary_epochs is
    'Each time that a server began to be the primary, one row: a replica that has it follows that history.';

comment on column app.primary_epochs.id is 'A random number that no other history has.';
comment on column app.primary_epochs.system_identifier is 'Of the cluster, as pg_control_system() has it.';
comment on column app.primary_epochs.database_oid is 'Of the database: a copy of it has another.';
comment on column app.primary_epochs.begun_at is 'When the service first met this primary.';
