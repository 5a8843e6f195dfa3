-- How far the identity provider's clock is ahead of this server's: docs/decisions/revocation.md.
create table app.provider_clock (
    is_only boolean primary key default true,
    ahead interval,
    measured_at timestamp with time zone not null,
    server_started_at timestamp with time zone not null,
    disproved_at timestamp with time zone,
    disproved_since timestamp with time zone,
    constraint provider_clock_is_only check (is_only)
);

alter table app.provider_clock enable row level security;
alter table app.provider_clock force row level security;
