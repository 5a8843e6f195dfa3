-- Everybody with access to a client reads its invoices. Administrators and account managers write invoices. A trigger
-- prevents the deletion of an issued invoice.

select app.grant_columns(
    'public.factures', readers => 'taxclaims_client', writers => 'taxclaims_account_manager',
    cr => '{id, client_id}',
    cru => '{reclamation_id, issue_date, due_date, amount_excl_tax, vat_rate}',
    ru => '{status, paid_at}',
    r => '{number, vat_amount, amount_incl_tax, created_at, updated_at, xmin}'
);
grant delete on public.factures to taxclaims_scoped_admin;

create policy factures_select_tenant on public.factures for select to taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));
create policy factures_insert_tenant on public.factures for insert to taxclaims_account_manager
    with check (client_id = any ((select app.client_access())::uuid[]));
create policy factures_update_tenant on public.factures for update to taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]))
    with check (client_id = any ((select app.client_access())::uuid[]));
create policy factures_delete_tenant on public.factures for delete to taxclaims_scoped_admin
    using (client_id = any ((select app.client_access())::uuid[]));

grant select (id, client_id) on public.factures to taxclaims_definer;
create policy factures_select_definer on public.factures for select to taxclaims_definer using (true);
