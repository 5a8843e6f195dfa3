comment on table public.factures is
    'Invoices of the firm to its clients; the interface and reporting call them invoices. One that was issued is '
    'never deleted, for French law wants an unbroken series.';
comment on column public.factures.client_id is 'The client who is billed; it never changes.';
comment on column public.factures.reclamation_id is
    'The claim that the fee is for, of the same client; null where it is for none, or the claim was deleted.';
comment on column public.factures.number is
    'YYYY-NNNNNN, without a gap within a year; given when the invoice is issued, null for a draft.';
comment on column public.factures.status is 'DRAFT, then ISSUED, then PAID or CANCELLED; no other move.';
comment on column public.factures.issue_date is
    'The date on the invoice, whose year is that of the number; null for a draft that names none.';
comment on column public.factures.vat_amount is
    'Euros of VAT: amount_excl_tax times vat_rate, rounded to the cent. Worked out.';
comment on column public.factures.amount_incl_tax is 'Euros to pay: amount_excl_tax and vat_amount. Worked out.';
comment on column public.factures.paid_at is 'When it was paid; null unless the status is PAID.';
