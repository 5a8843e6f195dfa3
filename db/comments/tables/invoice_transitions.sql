comment on table public.invoice_transitions is
    'Allowed status changes of invoices and bills, by role. The database refuses all other status changes. Migrations '
    'write this table, which is the same for all clients.';
comment on column public.invoice_transitions.table_name is
    'Name of the table: factures for the firm''s invoices, partner_invoices for partners'' bills.';
comment on column public.invoice_transitions.role is
    'User role that may change from_status to to_status. A DBA at psql counts as ADMIN.';
