-- What a change changed, in its audit record. The months of the log belong to taxclaims_housekeeper, so only the
-- administrator may alter all of it.
reset role;
alter table public.audit_logs add column changed jsonb;
set local role taxclaims_owner;
