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
