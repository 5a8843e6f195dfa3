comment on table public.reclamation_history is
    'Status changes of claims. A trigger of public.reclamations writes this table.';
comment on column public.reclamation_history.changed_by is
    'The user who changed the status; null if it was no user, such as a DBA at psql. The column has no foreign key.';
comment on column public.reclamation_history.actor is
    'Subject of the token, or the database login outside a request. For an erased user, the user''s id.';
comment on column public.reclamation_history.changed_at is
    'Time at which the status changed. No two changes of a claim have the same time.';
