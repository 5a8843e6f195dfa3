-- Run by taxclaims_owner. taxclaims_housekeeper creates and removes monthly partitions and has no other right. No login
-- can become the housekeeper role.
grant usage, create on schema audit_log to taxclaims_housekeeper;
grant usage on schema app to taxclaims_housekeeper;
grant execute on function app.refuse_change() to taxclaims_housekeeper;

comment on schema audit_log is
    'Monthly partitions of the audit log. Read and write them through public.audit_logs only.';
