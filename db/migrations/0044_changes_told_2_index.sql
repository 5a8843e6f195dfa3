-- In a transaction of its own: the index is built in a lock that lets everybody read meanwhile.
-- It is empty then: no record has a writer yet. Refusals never have one.
reset role;
create index audit_logs_writer_idx on public.audit_logs (writer, created_at) where writer is not null;
set local role taxclaims_owner;
