-- Which clients a reporting login may read. By the name that logged in, which no setting can change.
create table reporting.grants (
    login name not null,
    client_id uuid not null references public.clients (id) on delete cascade,
    granted_at timestamp with time zone not null default pg_catalog.now(),
    granted_by name not null default session_user,
    primary key (login, client_id)
);

create index grants_client_id_idx on reporting.grants (client_id);

alter table reporting.grants enable row level security;
alter table reporting.grants force row level security;
