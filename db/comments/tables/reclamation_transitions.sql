comment on table public.reclamation_transitions is
    'Allowed status changes of claims, by role. All other status changes are refused. '
    'Migrations write these rows, which are the same for all clients.';
comment on column public.reclamation_transitions.role is
    'User role that may make this change of status. A DBA at psql counts as ADMIN.';
