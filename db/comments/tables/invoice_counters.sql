comment on table public.invoice_counters is
    'Last invoice number of each year. The row is locked while a number is given. A sequence would leave gaps.';
comment on column public.invoice_counters.year is 'Year of issue_date.';
comment on column public.invoice_counters.last_number is 'Last number that an invoice got.';
