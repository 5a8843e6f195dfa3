comment on table public.factures is
    'The firm''s invoices to clients. An issued invoice is never deleted, because French law requires numbers without '
    'gaps.';
comment on column public.factures.reclamation_id is
    'The client''s claim for which the firm charges a fee; null if there is none or the claim was deleted.';
comment on column public.factures.number is
    'Invoice number YYYY-NNNNNN, without gaps in a year, given when the invoice is issued; null for a draft.';
comment on column public.factures.status is 'Status of the invoice, first DRAFT, then ISSUED, then PAID or CANCELLED.';
comment on column public.factures.issue_date is
    'Date of the invoice; null for a draft without a date. The invoice number begins with the year of this date.';
comment on column public.factures.vat_amount is
    'VAT (TVA) in euros: amount_excl_tax times vat_rate, rounded to the cent. Computed.';
comment on column public.factures.amount_incl_tax is
    'Amount to pay (TTC) in euros: the sum of amount_excl_tax and vat_amount. Computed.';
comment on column public.factures.paid_at is 'Time at which the invoice was paid; null unless the status is PAID.';
