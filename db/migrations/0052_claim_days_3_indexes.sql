-- In a transaction of its own: the indexes are built in a lock that lets everybody read meanwhile.
-- What runs out for a client, in the statuses in which it does, and beside it the claims whose day is not known: they have
-- their place at the end of an index. A claim is in two of them at most.
create index reclamations_claim_open_idx
    on public.reclamations (client_id, claim_deadline)
    where status = any (array['DRAFT', 'READY_FOR_REVIEW', 'APPROVED']::text[]);
create index reclamations_response_open_idx
    on public.reclamations (client_id, response_due_at)
    where status = any (array['SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED']::text[]);
create index reclamations_regularisation_open_idx
    on public.reclamations (client_id, regularisation_due_on)
    where status = 'REGULARISATION_REQUESTED';
create index reclamations_court_open_idx
    on public.reclamations (client_id, court_deadline)
    where status = any (array['REJECTED', 'PARTIALLY_ACCEPTED']::text[]) and instance is null;
create index reclamations_appeal_open_idx
    on public.reclamations (client_id, appeal_deadline)
    where status = any (array['REJECTED', 'PARTIALLY_ACCEPTED']::text[]) and instance = any (array['TA', 'CAA']::text[]);
create index reclamations_relief_open_idx
    on public.reclamations (client_id, claim_deadline)
    where status = 'REJECTED';
-- The release before, which goes on beside a deploy, reads what the first, the second and the fourth have.
drop index public.reclamations_claim_running_idx;
drop index public.reclamations_response_running_idx;
drop index public.reclamations_court_running_idx;
