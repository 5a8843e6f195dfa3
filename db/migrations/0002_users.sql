-- Equal digests mean equal rights: the role and the set of clients, in one comparison.
-- The API computes the same text from a token: md5 of 'ROLE:id,id,…', ids in order, each once.
create function app.access_digest(role text, client_access uuid[])
    returns text
    language sql
    immutable
    parallel safe
    set search_path = ''
return pg_catalog.md5(
    role || ':' || coalesce(
        (
            select pg_catalog.string_agg(c.id::text, ',' order by c.id)
            from (select distinct pg_catalog.unnest(client_access) as id) as c
        ),
        ''
    )
);

create table public.users (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    email character varying(255) not null,
    password_hash character varying(255) not null,
    name character varying(255) not null,
    role text not null,
    client_access uuid[] not null default '{}',
    is_active boolean not null default true,
    created_at timestamp with time zone not null default pg_catalog.now(),
    updated_at timestamp with time zone not null default pg_catalog.now(),
    -- The identity provider's name for the user; null until the first login.
    subject text,
    -- Tokens issued before this moment are refused when they say other rights than this row.
    access_changed_at timestamp with time zone not null default pg_catalog.now(),
    access_digest text not null generated always as (app.access_digest(role, client_access)) stored,
    constraint users_subject_key unique (subject),
    constraint users_subject_length check (pg_catalog.length(subject) between 1 and 255),
    constraint users_role_known check (role in ('ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT')),
    constraint users_email_not_blank check (pg_catalog.btrim(email) <> ''),
    constraint users_name_not_blank check (pg_catalog.btrim(name) <> ''),
    constraint users_client_access_whole check (pg_catalog.array_position(client_access, null) is null),
    -- A bcrypt hash, or '!', which no password matches: a user of the identity provider has none here.
    constraint users_password_hashed check (password_hash = '!' or password_hash ~ '^\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}$')
);

create unique index users_email_key on public.users (pg_catalog.lower(email));
create index users_created_at_idx on public.users (created_at desc, id desc);

alter table public.users enable row level security;
alter table public.users force row level security;
