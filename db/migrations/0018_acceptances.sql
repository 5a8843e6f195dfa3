-- What a deployment means although the audit says it: which finding or drift, exactly as it stood, why, and whose
-- decision it is. A row is added, and withdrawn once; nothing else ever changes.
create table audit.acceptances (
    id bigint primary key generated always as identity,
    what text not null,
    object text not null,
    as_it_stood text not null,
    reason text not null,
    accepted_by name not null default session_user,
    accepted_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    withdrawn_by name,
    withdrawn_at timestamp with time zone,
    constraint acceptances_reason_not_blank check (pg_catalog.btrim(reason, E' \t\n\r') <> ''),
    constraint acceptances_withdrawn_whole check ((withdrawn_by is null) = (withdrawn_at is null))
);

-- By the digest, for a definition may be longer than an entry of an index.
create unique index acceptances_in_force_key
    on audit.acceptances (what, object, pg_catalog.md5(as_it_stood))
    where withdrawn_at is null;

alter table audit.acceptances enable row level security;
alter table audit.acceptances force row level security;
