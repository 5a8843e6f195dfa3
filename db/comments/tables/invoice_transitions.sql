comment on table public.invoice_transitions is
    'Allowed status changes of invoices and bills, by role. The database refuses a status change that is not in this '
    'table. Only migrations write this table.';
comment on column public.invoice_transitions.table_name is
    'Name of the table: factures for the firm''s invoices, partner_invoices for partners'' bills.';
comment on column public.invoice_transitions.role is
    'User role that may change from_status to to_status. For a DBA at psql the rows of the role ADMIN apply.';
