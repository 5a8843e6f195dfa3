-- A user loses a client at once, however many claims are assigned to the user. The service removes the assignments later,
-- in batches; until then the claims of such a client read as unassigned.
create table app.lost_clients (
    user_id uuid not null references public.users (id) on delete cascade,
    client_id uuid not null,
    lost_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    unassigned bigint not null default 0,
    primary key (user_id, client_id)
);

create index lost_clients_client_id_idx on app.lost_clients (client_id);

alter table app.lost_clients enable row level security;
alter table app.lost_clients force row level security;
