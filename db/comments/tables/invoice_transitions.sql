comment on table public.invoice_transitions is
    'Allowed moves of invoices and bills, by role. Moves that are not listed are refused. Written by migrations, the '
    'same for all clients.';
comment on column public.invoice_transitions.table_name is
    'factures for the firm''s invoices, partner_invoices for partners'' bills.';
comment on column public.invoice_transitions.role is 'Role that may make the move; a DBA at psql counts as ADMIN.';
