comment on table public.invoice_transitions is
    'The moves that an invoice or a partner''s bill may make, and by which role; what is not listed is refused. Data of '
    'the migrations, the same for every client.';
comment on column public.invoice_transitions.table_name is
    'Whose move it is: factures for the firm''s invoices, partner_invoices for partners'' bills.';
comment on column public.invoice_transitions.role is
    'The role of the application that may make it; a DBA at psql counts as ADMIN.';
comment on column public.invoice_transitions.requires is
    'The fields of the record that the move needs: it is refused while one of them is null. Empty: none.';
