-- In a transaction of its own: the index is built in a lock that lets everybody read meanwhile.
-- GET /api/users/{id}/personal-data and an erasure find the moves that a user made.
create index reclamation_history_changed_by_idx
    on public.reclamation_history (changed_by, changed_at desc, id desc) where changed_by is not null;
