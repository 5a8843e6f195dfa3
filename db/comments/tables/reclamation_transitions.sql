comment on table public.reclamation_transitions is
    'The moves that a claim may make, and by which role; what is not listed is refused. Data of the migrations, the '
    'same for every client.';
comment on column public.reclamation_transitions.role is
    'The role of the application that may make it; a DBA at psql counts as ADMIN.';
comment on column public.reclamation_transitions.requires is
    'The fields of the claim that the move needs: it is refused while one of them is null. Empty: none.';
