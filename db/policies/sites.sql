-- Everybody with access to a client reads its sites. The firm's employees write sites, but a tax specialist cannot
-- delete a site.

select app.grant_columns(
    'public.sites', readers => 'taxclaims_client', writers => 'taxclaims_tax_specialist',
    cr => '{id, client_id}',
    cru => '{site_name, address}',
    r => '{created_at, updated_at, search_text, xmin}'
);
grant delete on public.sites to taxclaims_account_manager;

create policy sites_select_tenant on public.sites for select to taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));
create policy sites_insert_tenant on public.sites for insert to taxclaims_tax_specialist
    with check (client_id = any ((select app.client_access())::uuid[]));
create policy sites_update_tenant on public.sites for update to taxclaims_tax_specialist
    using (client_id = any ((select app.client_access())::uuid[]))
    with check (client_id = any ((select app.client_access())::uuid[]));
create policy sites_delete_tenant on public.sites for delete to taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]));

grant select (id, client_id, search_text) on public.sites to taxclaims_definer;
create policy sites_select_definer on public.sites for select to taxclaims_definer using (true);
