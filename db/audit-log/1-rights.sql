-- Run by taxclaims_owner. taxclaims_housekeeper makes and removes months and has no other right; no login can become
-- it.
grant usage, create on schema audit_log to taxclaims_housekeeper;
grant usage on schema app to taxclaims_housekeeper;
grant execute on function app.refuse_change() to taxclaims_housekeeper;

comment on schema audit_log is 'Months of the audit log. Read and write through public.audit_logs only.';
