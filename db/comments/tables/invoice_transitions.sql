comment on table public.invoice_transitions is
    'Allowed status changes of invoices and bills, by role. All other status changes are refused. Migrations write '
    'these rows, which are the same for all clients.';
comment on column public.invoice_transitions.table_name is
    'factures for the firm''s invoices, partner_invoices for partners'' bills.';
comment on column public.invoice_transitions.role is 'Role that may change the status. A DBA at psql counts as ADMIN.';
