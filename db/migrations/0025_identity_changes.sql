-- What the identity provider is yet to be told, and what it was told: the rights that a user was given here.
create table public.identity_changes (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    user_id uuid not null references public.users (id) on delete cascade,
    request_id text,
    actor text not null,
    role text not null,
    client_access uuid[] not null,
    is_active boolean not null,
    ends_tokens boolean not null,
    attempts integer not null default 0,
    last_error text,
    next_attempt_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    claim uuid,
    claimed_until timestamp with time zone,
    created_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    delivered_at timestamp with time zone,
    state text not null generated always as (
        case
            when delivered_at is not null then 'DELIVERED'
            when last_error is not null then 'FAILING'
            else 'WAITING'
        end
    ) stored,
    constraint identity_changes_error_length check (pg_catalog.length(last_error) between 1 and 500),
    constraint identity_changes_claim_whole check ((claim is null) = (claimed_until is null))
);

create index identity_changes_created_at_idx on public.identity_changes (created_at desc, id desc);
create index identity_changes_user_id_idx on public.identity_changes (user_id, created_at desc, id desc);
-- What is to be delivered is little, beside all that was.
create index identity_changes_undelivered_idx on public.identity_changes (user_id, next_attempt_at)
    where delivered_at is null;
create index identity_changes_delivered_at_idx on public.identity_changes (delivered_at)
    where delivered_at is not null;

alter table public.identity_changes enable row level security;
alter table public.identity_changes force row level security;

-- Whether changes are sent at all: not by what one instance is configured to do, since a change that another one makes
-- meanwhile would be sent by nobody.
create table app.identity_management (
    is_only boolean primary key default true,
    managed_since timestamp with time zone,
    constraint identity_management_is_only check (is_only)
);

insert into app.identity_management default values;

alter table app.identity_management enable row level security;
alter table app.identity_management force row level security;
