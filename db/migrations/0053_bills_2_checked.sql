-- In a transaction of its own: reads the tables once, in a lock that stops neither reading nor writing.
alter table public.factures validate constraint factures_kind_known;
alter table public.factures validate constraint factures_credits_when_credit_note;
alter table public.factures validate constraint factures_credits_of_client;
alter table public.factures validate constraint factures_paid_at_when_paid;
alter table public.partner_invoices validate constraint partner_invoices_paid_at_when_paid;
alter table public.clients validate constraint clients_siren_valid;
