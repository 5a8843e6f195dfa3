comment on table public.reclamation_history is
    'Status changes of claims. A trigger of public.reclamations writes this table.';
comment on column public.reclamation_history.changed_by is
    'User who changed the status; null if it was a DBA instead of a user. changed_by has no foreign key.';
comment on column public.reclamation_history.actor is
    'Who changed the status: the subject of a token, the id of an erased user, or outside a request a database login.';
comment on column public.reclamation_history.changed_at is
    'Time at which the status changed. No two status changes of a claim have the same time.';
