-- What a replica must have replayed before it may answer a caller: docs/decisions/replicas.md.

-- Each time that a server began to be the primary. A replica has the row only if it follows that very history, so far.
create table app.primary_epochs (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    system_identifier bigint not null,
    database_oid oid not null,
    begun_at timestamp with time zone not null default pg_catalog.clock_timestamp()
);

alter table app.primary_epochs enable row level security;
alter table app.primary_epochs force row level security;

-- Unlogged, so that the two are empty after a crash and after a promotion: what they said was of another history.
create unlogged table app.present_epoch (
    is_only boolean primary key default true,
    epoch_id uuid not null,
    constraint present_epoch_is_only check (is_only)
);

alter table app.present_epoch enable row level security;
alter table app.present_epoch force row level security;

create unlogged table app.write_positions (
    subject text primary key,
    position pg_lsn not null
);

alter table app.write_positions enable row level security;
alter table app.write_positions force row level security;
