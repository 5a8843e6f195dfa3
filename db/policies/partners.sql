-- The firm's employees see a partner who is linked to one of their clients. A client's users see no partner. The table
-- partners has no client_id.

select app.grant_columns(
    'public.partners', readers => 'taxclaims_tax_specialist', writers => 'taxclaims_account_manager',
    cr => '{id}',
    cru => '{name, siret, contact_email, phone, address, commission_rate}',
    r => '{created_at, updated_at, xmin}'
);
-- For a change of the links alone; the trigger app.touch sets the time.
grant update (updated_at) on public.partners to taxclaims_account_manager;
grant delete on public.partners to taxclaims_scoped_admin;

create policy partners_select_tenant on public.partners for select to taxclaims_tax_specialist
    using (exists (select from public.client_partners as cp where cp.partner_id = partners.id));
-- A new partner has no client yet, but the caller must have a client to which the partner can be linked later.
create policy partners_insert_tenant on public.partners for insert to taxclaims_account_manager
    with check ((select app.client_access()) <> '{}');
create policy partners_update_tenant on public.partners for update to taxclaims_account_manager
    using (exists (select from public.client_partners as cp where cp.partner_id = partners.id))
    with check (exists (select from public.client_partners as cp where cp.partner_id = partners.id));
-- The foreign key of client_partners does not cascade, so a partner who is linked to a client cannot be deleted.
create policy partners_delete_tenant on public.partners for delete to taxclaims_scoped_admin
    using (exists (select from public.client_partners as cp where cp.partner_id = partners.id));

create policy partners_select_reporting on public.partners for select to taxclaims_reporting
    using (exists (select from public.client_partners as cp where cp.partner_id = partners.id));

grant select (id) on public.partners to taxclaims_definer;
create policy partners_select_definer on public.partners for select to taxclaims_definer using (true);
