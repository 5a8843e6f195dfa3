-- Run by the owner: taxclaims_housekeeper makes and removes months, and is given what that takes and no more. It logs in
-- nowhere, and nobody becomes it but the administrator of the database.
grant usage, create on schema audit_log to taxclaims_housekeeper;
grant usage on schema app to taxclaims_housekeeper;
grant execute on function app.refuse_change() to taxclaims_housekeeper;

comment on schema audit_log is 'The months of the audit log. Read and written through public.audit_logs alone.';
