-- Everybody who may read a site may read its parcels. The firm's employees write parcels.

-- No update may change site_id, because the new site could belong to another client.
select app.grant_columns(
    'public.cadastres', readers => 'taxclaims_client', writers => 'taxclaims_tax_specialist',
    cr => '{id, site_id}',
    cru => '{commune_code, prefix, section, number, area_m2, address, rental_value, reference_year}',
    r => '{reference, created_at, updated_at, search_text, xmin}'
);
grant delete on public.cadastres to taxclaims_account_manager;

create policy cadastres_select_tenant on public.cadastres for select to taxclaims_client
    using (exists (select from public.sites as s where s.id = site_id));
create policy cadastres_insert_tenant on public.cadastres for insert to taxclaims_tax_specialist
    with check (exists (select from public.sites as s where s.id = site_id));
create policy cadastres_update_tenant on public.cadastres for update to taxclaims_tax_specialist
    using (exists (select from public.sites as s where s.id = site_id))
    with check (exists (select from public.sites as s where s.id = site_id));
create policy cadastres_delete_tenant on public.cadastres for delete to taxclaims_account_manager
    using (exists (select from public.sites as s where s.id = site_id));

-- The subquery reads the sites of the reporting login once into a sorted array. width_bucket finds a parcel's site in
-- the array by binary search, which is fast even with many sites.
create policy cadastres_select_reporting on public.cadastres for select to taxclaims_reporting
    using (
        ((select array(select s.id from public.sites as s order by s.id))::uuid[])[
            pg_catalog.width_bucket(
                site_id,
                (select array(select s.id from public.sites as s order by s.id))::uuid[]
            )
        ] = site_id
    );

grant select (id, site_id, commune_code) on public.cadastres to taxclaims_definer;
create policy cadastres_select_definer on public.cadastres for select to taxclaims_definer using (true);
