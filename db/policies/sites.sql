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
    using (
        client_id = any ((select app.client_access())::uuid[])
        -- The site's claims are deleted with it, and only an administrator deletes a claim that was sent.
        and (
            (select app.role()) = 'ADMIN'
            or not exists (
                select
                from public.reclamations as r
                where r.site_id = sites.id
                    and r.status::text <> all (array['DRAFT', 'READY_FOR_REVIEW', 'APPROVED'])
            )
        )
    );

grant select (id, client_id, search_text) on public.sites to taxclaims_definer;
create policy sites_select_definer on public.sites for select to taxclaims_definer using (true);
