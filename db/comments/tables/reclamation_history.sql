comment on table public.reclamation_history is
    'Every move that a claim made, written by a trigger. To learn for how long a claim stood somewhere, compare '
    'changed_at of its rows.';
comment on column public.reclamation_history.reclamation_id is 'The claim that moved.';
comment on column public.reclamation_history.client_id is 'The client of the claim.';
comment on column public.reclamation_history.changed_by is
    'The user who moved it; null where no stored user did, as for a DBA at psql. Not a foreign key.';
comment on column public.reclamation_history.actor is
    'Who moved it by name: the subject at the identity provider, or the database login outside a request.';
comment on column public.reclamation_history.changed_at is 'When it moved; strictly in the order of the moves of a claim.';
