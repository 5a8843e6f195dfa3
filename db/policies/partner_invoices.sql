-- Only administrators and account managers read and write partners' bills, because bills show the firm's margin. Tax
-- specialists and clients never see a bill.

-- No insert sets status, because a new bill is RECEIVED. No update changes client_id or partner_id.
select app.grant_columns(
    'public.partner_invoices', readers => 'taxclaims_account_manager', writers => 'taxclaims_account_manager',
    cr => '{id, partner_id, client_id}',
    cru => '{invoice_id, number, issue_date, due_date, amount_excl_tax, vat_rate, vat_amount, amount_incl_tax}',
    ru => '{status, paid_at}',
    r => '{created_at, updated_at, xmin}'
);
grant delete on public.partner_invoices to taxclaims_scoped_admin;

create policy partner_invoices_select_tenant on public.partner_invoices for select to taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]));
-- Foreign keys ignore policies, so the insert policy itself checks that the caller can see the partner.
create policy partner_invoices_insert_tenant on public.partner_invoices for insert to taxclaims_account_manager
    with check (
        client_id = any ((select app.client_access())::uuid[])
        and exists (select from public.partners as p where p.id = partner_id)
    );
create policy partner_invoices_update_tenant on public.partner_invoices for update to taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]))
    with check (client_id = any ((select app.client_access())::uuid[]));
create policy partner_invoices_delete_tenant on public.partner_invoices for delete to taxclaims_scoped_admin
    using (client_id = any ((select app.client_access())::uuid[]));

-- app.impossible_rows counts bills whose partner, invoice, status or time cannot be.
grant select (id, client_id, partner_id, invoice_id, status, created_at, updated_at) on public.partner_invoices to taxclaims_definer;
create policy partner_invoices_select_definer on public.partner_invoices for select to taxclaims_definer using (true);
