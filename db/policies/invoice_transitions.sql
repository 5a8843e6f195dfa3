-- The allowed moves of invoices and of partners' bills are no secret: everybody in the house may read them, and nobody
-- changes them but a migration.

grant select (table_name, from_status, to_status, role, requires) on public.invoice_transitions
to taxclaims_client, taxclaims_admin, taxclaims_definer, taxclaims_auditor;
create policy invoice_transitions_select_requests on public.invoice_transitions for select
    to taxclaims_client, taxclaims_admin
    using (true);

-- app.check_invoice_move: whether a move is among them.
create policy invoice_transitions_select_definer on public.invoice_transitions for select to taxclaims_definer
    using (true);

-- They are rules: audit.drift holds them against the repository, asked by auditors and by the owner.
create policy invoice_transitions_select_audit on public.invoice_transitions for select
    to taxclaims_auditor, taxclaims_owner
    using (true);
