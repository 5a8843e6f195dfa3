-- A deploy runs this file as taxclaims_owner. The role taxclaims_housekeeper creates and removes the monthly partitions
-- of the audit log. The service, reporting logins and auditors cannot become taxclaims_housekeeper.
grant usage, create on schema audit_log to taxclaims_housekeeper;
grant usage on schema app to taxclaims_housekeeper;
grant execute on function app.refuse_change() to taxclaims_housekeeper;

comment on schema audit_log is
    'Schema of the monthly partitions of the audit log. Read and write audit records only through public.audit_logs.';
