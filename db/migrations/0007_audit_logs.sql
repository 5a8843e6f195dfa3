create table public.audit_logs (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    user_id uuid references public.users (id),
    action character varying(100) not null,
    resource_type character varying(50) not null,
    resource_id uuid,
    -- No reference: the record of a client outlives the client.
    client_context uuid,
    success boolean not null,
    error_message text,
    ip_address inet,
    user_agent text,
    created_at timestamp with time zone not null default pg_catalog.now(),
    request_id text,
    -- The token's subject, or 'anonymous'.
    actor text not null
);

create index audit_logs_created_at_idx on public.audit_logs (created_at desc, id desc);
create index audit_logs_client_context_idx on public.audit_logs (client_context, created_at desc, id desc);
create index audit_logs_user_id_idx on public.audit_logs (user_id);

alter table public.audit_logs enable row level security;
alter table public.audit_logs force row level security;
