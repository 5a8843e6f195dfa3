comment on table public.reclamation_transitions is
    'Allowed status changes of claims, by role. The database refuses all other status changes. Migrations write this '
    'table, which is the same for all clients.';
comment on column public.reclamation_transitions.role is
    'User role that may change from_status to to_status. A DBA at psql counts as ADMIN.';
