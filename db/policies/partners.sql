-- A partner is nobody's property: the firm's people see a partner through the clients it is linked to, and a
-- client's own users never see one.

select app.grant_columns(
    'public.partners', readers => 'taxclaims_tax_specialist', writers => 'taxclaims_account_manager',
    cr => '{id}',
    cru => '{name, siret, contact_email, phone, address, commission_rate}',
    r => '{created_at, updated_at, xmin}'
);
grant delete on public.partners to taxclaims_scoped_admin;

-- The links that the caller reads decide.
create policy partners_select_tenant on public.partners for select to taxclaims_tax_specialist
    using (exists (select from public.client_partners as cp where cp.partner_id = partners.id));
-- A new partner has no link yet; whoever makes it must at least have a client to link it to.
create policy partners_insert_tenant on public.partners for insert to taxclaims_account_manager
    with check ((select app.client_access()) <> '{}');
create policy partners_update_tenant on public.partners for update to taxclaims_account_manager
    using (exists (select from public.client_partners as cp where cp.partner_id = partners.id))
    with check (exists (select from public.client_partners as cp where cp.partner_id = partners.id));
-- The links of other clients hold the row: their foreign key does not cascade.
create policy partners_delete_tenant on public.partners for delete to taxclaims_scoped_admin
    using (exists (select from public.client_partners as cp where cp.partner_id = partners.id));

-- A reporting login reads the partners of its clients.
create policy partners_select_reporting on public.partners for select to taxclaims_reporting
    using (exists (select from public.client_partners as cp where cp.partner_id = partners.id));

-- app.locate tells a foreign record from none.
grant select (id) on public.partners to taxclaims_definer;
create policy partners_select_definer on public.partners for select to taxclaims_definer using (true);
