-- Every user reads which status changes of invoices and bills are allowed. Only migrations change invoice_transitions.

grant select (table_name, from_status, to_status, role, requires) on public.invoice_transitions
to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_auditor;
create policy invoice_transitions_select_request_roles on public.invoice_transitions for select
    to taxclaims_client, taxclaims_admin
    using (true);

create policy invoice_transitions_select_definer on public.invoice_transitions for select to taxclaims_definer
    using (true);

create policy invoice_transitions_select_audit on public.invoice_transitions for select
    to taxclaims_auditor, taxclaims_owner
    using (true);
