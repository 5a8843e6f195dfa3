comment on table public.factures is
    'The firm''s invoices and credit notes to clients. Once issued, nothing of them changes but status and paid_at, and '
    'none is deleted, because French law requires a chronological series without gaps.';
comment on column public.factures.reclamation_id is
    'The client''s claim for which the firm charges a fee; null if there is none. A claim on an issued invoice cannot be deleted.';
comment on column public.factures.number is
    'Number YYYY-NNNNNN, without gaps in a year and in the order of the dates, given at issue; null for a draft. Invoices '
    'and credit notes share the series (CGI, annexe II, article 242 nonies A).';
comment on column public.factures.status is 'Status, first DRAFT, then ISSUED, then PAID. Credit notes of the whole amount make an invoice CANCELLED.';
comment on column public.factures.issue_date is
    'Date of the invoice, by default today in Paris; not after today, and not before the date of the last number. Null '
    'for a draft without a date. The number begins with the year of this date.';
comment on column public.factures.vat_amount is
    'VAT (TVA) in euros: amount_excl_tax times vat_rate, rounded to the cent. Computed.';
comment on column public.factures.amount_incl_tax is
    'Amount to pay (TTC) in euros: the sum of amount_excl_tax and vat_amount. Computed.';
comment on column public.factures.paid_at is 'Time at which the invoice was paid; null unless it is PAID, or was PAID before a credit note cancelled it.';
comment on column public.factures.kind is
    'INVOICE, or CREDIT_NOTE (avoir), whose positive amounts are deducted from the invoice credits_id.';
comment on column public.factures.credits_id is
    'The issued or paid invoice of the same client that a credit note credits; null for an invoice.';
comment on column public.factures.description is 'Subject of the invoice; null if not given.';
comment on column public.factures.service_date is
    'Day on which the service was completed, which an invoice states if it is not issue_date; null if not given.';
comment on column public.factures.vat_exemption_reason is
    'Why there is no VAT, such as an article of the CGI. Required to issue an invoice with vat_rate 0; otherwise null.';
comment on column public.factures.buyer_name is 'Name of the client when the invoice was issued; null for a draft.';
comment on column public.factures.buyer_address is
    'Address of the client when the invoice was issued; null for a draft, or if it was unknown.';
comment on column public.factures.buyer_siren is
    'SIREN of the client when the invoice was issued; null for a draft, or if it was unknown.';
