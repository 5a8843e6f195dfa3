comment on table public.invoice_counters is
    'The last number of an invoice in each year. A row locked until the commit and not a sequence, which would leave '
    'gaps.';
comment on column public.invoice_counters.year is 'The year of issue_date.';
comment on column public.invoice_counters.last_number is
    'The number given last; the next invoice of the year gets the next one.';
