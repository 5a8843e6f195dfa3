-- The tables of schema audit as they are now, for a deploy after somebody has dropped them: their rows are gone then, but
-- nothing else is lost, and the deploy goes on. What the migrations have made stays as it is. A migration that changes one
-- of them changes it here, too: test/db/deploy-lost.test.ts holds the two against each other.

create schema if not exists audit;

create table if not exists audit.applied (
    kind text not null,
    object text not null,
    definition text not null,
    primary key (kind, object)
);

alter table audit.applied enable row level security;
alter table audit.applied force row level security;

create table if not exists audit.acceptances (
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
create unique index if not exists acceptances_in_force_key
    on audit.acceptances (what, object, pg_catalog.md5(as_it_stood))
    where withdrawn_at is null;

alter table audit.acceptances enable row level security;
alter table audit.acceptances force row level security;

create table if not exists audit.archives (
    number integer primary key,
    month date not null,
    records bigint not null,
    previous_digest text not null,
    digest text not null,
    file text not null,
    archived_by name not null default session_user,
    archived_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    removed_by name,
    removed_at timestamp with time zone,
    constraint archives_month_begins check (extract(day from month) = 1),
    constraint archives_records_counted check (records >= 0),
    constraint archives_digests check (previous_digest ~ '^[0-9a-f]{64}$' and digest ~ '^[0-9a-f]{64}$'),
    constraint archives_removed_whole check ((removed_by is null) = (removed_at is null))
);

alter table audit.archives enable row level security;
alter table audit.archives force row level security;
