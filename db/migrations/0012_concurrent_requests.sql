-- What keeps correct requests correct beside each other.

-- Clients that a user created and that no token of theirs has said yet: a login with the token in hand, which cannot
-- know them, does not take them away. By the identity provider's subject, for a user need not be stored to create one.
create table app.created_clients (
    subject text not null,
    -- Deferred: whoever creates a client holds their own user first, and so writes this before the client.
    client_id uuid not null references public.clients (id) on delete cascade deferrable initially deferred,
    created_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    primary key (subject, client_id)
);

create index created_clients_client_id_idx on app.created_clients (client_id);

alter table app.created_clients enable row level security;
alter table app.created_clients force row level security;

-- One row, which is written by whoever makes an ADMIN without a list fewer: a row, and not an advisory lock, because
-- any login could take that. Written before the table is closed, for its owner too.
create table app.administrator_guard (
    is_only boolean primary key default true,
    passed_at timestamp with time zone not null default pg_catalog.clock_timestamp(),
    constraint administrator_guard_is_only check (is_only)
);

insert into app.administrator_guard default values;

alter table app.administrator_guard enable row level security;
alter table app.administrator_guard force row level security;

-- What tells an order is dated when it is written, and not when its transaction began, which may have waited since.
alter table public.documents alter column uploaded_at set default pg_catalog.clock_timestamp();
alter table public.client_partners alter column created_at set default pg_catalog.clock_timestamp();
alter table public.audit_logs alter column created_at set default pg_catalog.clock_timestamp();
alter table public.reclamation_history alter column changed_at set default pg_catalog.clock_timestamp();

-- The oldest transaction that was still writing when the record was made: whoever asks what has changed since a moment
-- learns with it which changes were under way then, and may have come true later. Null in older records.
alter table public.audit_logs add column oldest_writer xid8;
