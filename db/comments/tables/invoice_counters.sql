comment on table public.invoice_counters is
    'Last invoice number of each year. A transaction that issues an invoice locks the row of the invoice''s year. A '
    'Postgres sequence instead of this table would leave gaps in the invoice numbers.';
comment on column public.invoice_counters.year is 'Year of issue_date.';
comment on column public.invoice_counters.last_number is 'Number of the last invoice that was issued for the year.';
comment on column public.invoice_counters.last_issued_on is
    'issue_date of the last number; null if no invoice was issued for the year since this column exists.';
