comment on table public.reclamation_transitions is
    'Allowed status changes of claims, by role. All other status changes are refused. Migrations write these rows, '
    'which are the same for all clients.';
comment on column public.reclamation_transitions.role is
    'Role that may change the status. A DBA at psql counts as ADMIN.';
