-- Everybody with access to a client reads its invoices. Administrators and account managers write invoices.
-- Triggers prevent every change of an issued invoice except of status and paid_at, and its deletion.

select app.grant_columns(
    'public.factures', readers => 'taxclaims_client', writers => 'taxclaims_account_manager',
    cr => '{id, client_id}',
    cru => '{
        reclamation_id, kind, credits_id, issue_date, due_date, service_date, description, amount_excl_tax, vat_rate,
        vat_exemption_reason
    }',
    ru => '{status, paid_at}',
    r => '{number, buyer_name, buyer_address, buyer_siren, vat_amount, amount_incl_tax, created_at, updated_at, xmin}'
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

-- The triggers of db/functions/definer/invoices.sql read invoices and credit notes, and cancel a credited invoice.
-- app.impossible_rows reads the times.
grant select (
    id, client_id, reclamation_id, kind, credits_id, number, status, issue_date, vat_rate, amount_excl_tax, amount_incl_tax,
    created_at, updated_at
), update (status) on public.factures to taxclaims_definer;
create policy factures_select_definer on public.factures for select to taxclaims_definer using (true);
create policy factures_update_definer on public.factures for update to taxclaims_definer
    using (credits_id is null and pg_catalog.pg_trigger_depth() > 0)
    with check (credits_id is null and pg_catalog.pg_trigger_depth() > 0);
