-- In a transaction of its own: no table is held for it while the rights are applied.
-- The moves of claims name their user by the id alone, so that the erasure of a user need not change them.
update public.reclamation_history as h
set actor = h.changed_by::text
where h.changed_by is not null and h.actor <> h.changed_by::text;
