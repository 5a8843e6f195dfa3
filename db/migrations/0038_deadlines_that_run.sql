-- What runs out for a client, in the statuses in which it does: a quarter of what the indexes of 0023 have, which are for
-- the lists of claims in every status. A claim is in one of them at most.
create index reclamations_claim_running_idx
    on public.reclamations (client_id, claim_deadline)
    where claim_deadline is not null and status = any (array['DRAFT', 'READY_FOR_REVIEW', 'APPROVED']::text[]);
create index reclamations_response_running_idx
    on public.reclamations (client_id, response_due_at)
    where response_due_at is not null
        and status = any (array['SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED']::text[]);
create index reclamations_court_running_idx
    on public.reclamations (client_id, court_deadline)
    where court_deadline is not null and status = any (array['REJECTED', 'PARTIALLY_ACCEPTED']::text[]);
