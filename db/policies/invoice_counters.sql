-- Only the trigger that issues an invoice reads and increases the invoice numbers.

grant select (year, last_number, last_issued_on), insert (year, last_number), update (last_number, last_issued_on)
on public.invoice_counters to taxclaims_definer;
create policy invoice_counters_select_definer on public.invoice_counters for select to taxclaims_definer using (true);
create policy invoice_counters_insert_definer on public.invoice_counters for insert to taxclaims_definer
    with check (pg_catalog.pg_trigger_depth() > 0);
create policy invoice_counters_update_definer on public.invoice_counters for update to taxclaims_definer
    using (pg_catalog.pg_trigger_depth() > 0)
    with check (pg_catalog.pg_trigger_depth() > 0);
