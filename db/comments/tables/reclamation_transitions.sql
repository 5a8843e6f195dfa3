comment on table public.reclamation_transitions is
    'Allowed status changes of claims, by role. The database refuses a status change that is not in this table. Only '
    'migrations write this table.';
comment on column public.reclamation_transitions.role is
    'User role that may change from_status to to_status. For a DBA at psql the rows of the role ADMIN apply.';
comment on column public.reclamation_transitions.condition is
    'What must be true of the claim before the status change; null if nothing. ANSWER_OVERDUE: response_due_at has passed. '
    'AFTER_PARTIAL_ADMISSION: granted_amount is below amount. AFTER_JUDGMENT: instance is known.';
