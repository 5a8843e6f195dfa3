-- What the embedded identity provider keeps: who is logged in where, and how often somebody has tried to be. Its ids are
-- secrets of browsers and programs, so that the rows have keyed digests of them alone: nobody logs in with a copy of this,
-- or with a row made here.
create table app.identity_artifacts (
    -- What the library calls it: Session, Grant, RefreshToken, AuthorizationCode, Interaction, …
    kind text not null,
    id_digest text not null,
    payload jsonb not null,
    -- Whose it is, as the subject of a token says it; null before anybody has logged in.
    account text,
    grant_id text,
    uid text,
    expires_at timestamp with time zone not null,
    consumed_at timestamp with time zone,
    primary key (kind, id_digest),
    constraint identity_artifacts_kind_form check (kind ~ '^[A-Za-z]{1,40}$'),
    constraint identity_artifacts_id_digest_form check (id_digest ~ '^[0-9a-f]{64}$'),
    -- The address of an authorization request is at most 16 kB, and an interaction repeats it.
    constraint identity_artifacts_payload_length check (pg_catalog.pg_column_size(payload) <= 131072)
);

create index identity_artifacts_account_idx on app.identity_artifacts (account) where account is not null;
create index identity_artifacts_grant_id_idx on app.identity_artifacts (grant_id) where grant_id is not null;
create index identity_artifacts_uid_idx on app.identity_artifacts (uid) where uid is not null;
create index identity_artifacts_expires_at_idx on app.identity_artifacts (expires_at);

alter table app.identity_artifacts enable row level security;
alter table app.identity_artifacts force row level security;

-- Failed attempts to log in: from an address, for an account, for an account from an address; and from which addresses
-- an account has logged in. Keyed by a digest with a secret: a row says neither what was typed nor who typed it.
create table app.login_attempts (
    scope text not null,
    key_digest text not null,
    failures integer not null,
    since timestamp with time zone not null,
    primary key (scope, key_digest),
    constraint login_attempts_scope_known check (scope in ('address', 'account', 'pair', 'known')),
    constraint login_attempts_key_digest_form check (key_digest ~ '^[0-9a-f]{64}$'),
    constraint login_attempts_failures_counted check (failures >= 0)
);

create index login_attempts_since_idx on app.login_attempts (since);

alter table app.login_attempts enable row level security;
alter table app.login_attempts force row level security;

-- One row: from it come the salts of addresses that nobody has, so that they stay the same and nobody can tell them.
create table app.identity_secret (
    is_only boolean primary key default true,
    secret bytea not null default pg_catalog.decode(
        pg_catalog.replace(pg_catalog.gen_random_uuid()::text || pg_catalog.gen_random_uuid()::text, '-', ''),
        'hex'
    ),
    constraint identity_secret_one_row check (is_only),
    constraint identity_secret_length check (pg_catalog.octet_length(secret) = 32)
);

insert into app.identity_secret default values;

alter table app.identity_secret enable row level security;
alter table app.identity_secret force row level security;
