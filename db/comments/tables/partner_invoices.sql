comment on table public.partner_invoices is
    'What a partner bills the firm for a client. The margin of the firm: no user of a client reads it.';
comment on column public.partner_invoices.partner_id is 'The partner who bills.';
comment on column public.partner_invoices.client_id is 'The client for whom; it never changes.';
comment on column public.partner_invoices.invoice_id is
    'The invoice of the firm that the commission is on, of the same client; null where it is on none.';
comment on column public.partner_invoices.number is 'As printed on the bill; unique for the partner and the client.';
comment on column public.partner_invoices.status is 'RECEIVED, then VALIDATED, then PAID; DISPUTED before it is paid.';
comment on column public.partner_invoices.issue_date is 'The date on the bill; null where it is not known.';
comment on column public.partner_invoices.vat_amount is
    'Euros of VAT as printed, for partners round in their own way; worked out where it was not given.';
comment on column public.partner_invoices.amount_incl_tax is 'Euros to pay; always amount_excl_tax and vat_amount.';
