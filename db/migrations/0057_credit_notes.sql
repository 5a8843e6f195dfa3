-- A credit note of the whole amount is the only way to CANCELLED: the trigger that issues it cancels the invoice.
alter table public.factures drop constraint factures_paid_when_paid;

set local row_security = off;
alter table public.invoice_transitions no force row level security;
delete from public.invoice_transitions where table_name = 'factures' and to_status = 'CANCELLED';
alter table public.invoice_transitions force row level security;
set local row_security = on;
