comment on table public.invoice_counters is
    'Last invoice number of each year. A locked row and no sequence, which would leave gaps.';
comment on column public.invoice_counters.year is 'Year of issue_date.';
comment on column public.invoice_counters.last_number is 'Last number given.';
