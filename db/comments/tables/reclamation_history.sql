comment on table public.reclamation_history is 'Moves of claims between statuses. A trigger writes them.';
comment on column public.reclamation_history.changed_by is
    'The user who made the move; null for others, such as a DBA at psql. No foreign key.';
comment on column public.reclamation_history.actor is
    'Subject of the token, or the database login outside a request. Of an erased user the id.';
comment on column public.reclamation_history.changed_at is
    'When the status changed. The moves of a claim have different times.';
