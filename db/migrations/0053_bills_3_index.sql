-- In a transaction of its own: the index is built in a lock that lets everybody read meanwhile.
create index factures_credits_id_idx on public.factures (credits_id) where credits_id is not null;
