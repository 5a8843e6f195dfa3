-- Who works on a claim, among those who share its client. Nobody is taken along: the claims of a user who goes have nobody.
-- Deferred, so that the trigger that asks for more than a user is heard first, and says the same of nobody and somebody.
alter table public.reclamations
    add column assignee_id uuid
        constraint reclamations_assignee_id_fkey references public.users (id)
            on delete set null
            deferrable initially deferred;

-- The claims of a person, newest first. It learns of no other change of a claim.
create index reclamations_assignee_id_idx
    on public.reclamations (assignee_id, created_at desc, id desc)
    where assignee_id is not null;

-- What runs out for a client in some weeks, among all the years of its claims. No move of a claim changes them, and a
-- claim without the date is in none.
create index reclamations_claim_deadline_idx
    on public.reclamations (client_id, claim_deadline)
    where claim_deadline is not null;
create index reclamations_response_due_at_idx
    on public.reclamations (client_id, response_due_at)
    where response_due_at is not null;
create index reclamations_court_deadline_idx
    on public.reclamations (client_id, court_deadline)
    where court_deadline is not null;
