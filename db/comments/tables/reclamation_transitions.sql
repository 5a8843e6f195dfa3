comment on table public.reclamation_transitions is
    'Allowed moves of claims, by role. Moves that are not listed are refused. Written by migrations, the same for all '
    'clients.';
comment on column public.reclamation_transitions.role is 'Role that may make the move; a DBA at psql counts as ADMIN.';
