comment on table public.reclamation_history is
    'Status changes of claims. A trigger of public.reclamations writes this table.';
comment on column public.reclamation_history.changed_by is
    'User who changed the status; null if a DBA changed it. changed_by has no foreign key.';
comment on column public.reclamation_history.actor is
    'Id of the user who changed the status, as in changed_by, or a database login outside a request.';
comment on column public.reclamation_history.changed_at is
    'Time at which the status changed. No two status changes of a claim have the same time.';
comment on column public.reclamation_history.reason is
    'Why the status changed, as status_reason of the claim at the change; null if the change gave no reason.';
comment on column public.reclamation_history.is_correction is
    'True for a step back: the status change before it was a mistake, and the claim returned to the status before.';
comment on column public.reclamation_history.court_before is
    'Values that instance, judgment_notified_on and appeal_deadline had before a move to court or a step back from court. '
    'The next status change restores them if it reverses this one. Null for other status changes and those of old releases.';
