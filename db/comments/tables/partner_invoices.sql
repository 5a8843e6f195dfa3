comment on table public.partner_invoices is
    'Bills from partners, each for one client. Bills show the firm''s margin, so users of a client cannot read bills.';
comment on column public.partner_invoices.invoice_id is
    'The firm''s invoice to the client for which the partner bills a commission; null if none.';
comment on column public.partner_invoices.number is 'Number of the bill, unique per partner and client.';
comment on column public.partner_invoices.status is
    'Status of the bill, first RECEIVED, then VALIDATED, then PAID. A bill can be DISPUTED before it is paid. Once it is '
    'no longer RECEIVED, only status and paid_at can change, and it cannot be deleted.';
comment on column public.partner_invoices.issue_date is 'Date of the bill; null if unknown.';
comment on column public.partner_invoices.vat_amount is
    'VAT (TVA) in euros as on the bill. A bill without VAT gets amount_excl_tax times vat_rate, rounded to the cent.';
comment on column public.partner_invoices.amount_incl_tax is
    'Amount to pay (TTC) in euros: the sum of amount_excl_tax and vat_amount.';
comment on column public.partner_invoices.paid_at is
    'Time at which the bill was paid; null unless the status is PAID, and for bills that were paid before this column existed.';
