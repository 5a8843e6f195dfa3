-- A parcel of the land register belongs to a site: whoever reads the site reads it, and the firm's people write it.

-- The site's own policies decide: the parent is read as the caller.
grant select (
    id,
    site_id,
    commune_code,
    prefix,
    section,
    number,
    reference,
    area_m2,
    address,
    rental_value,
    reference_year,
    created_at,
    updated_at,
    -- What they may read already, as lists search it.
    search_text,
    -- Which transaction wrote the row: a walk in the order of change asks for it.
    xmin
) on public.cadastres to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;

create policy cadastres_select_admin on public.cadastres
    for select to taxclaims_admin
    using (true);

create policy cadastres_select_tenant on public.cadastres
    for select to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist,
        taxclaims_client
    using (exists (select from public.sites as s where s.id = site_id));

grant insert (
    id,
    site_id,
    commune_code,
    prefix,
    section,
    number,
    area_m2,
    address,
    rental_value,
    reference_year
) on public.cadastres to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist;

create policy cadastres_insert_admin on public.cadastres
    for insert to taxclaims_admin
    with check (true);

create policy cadastres_insert_tenant on public.cadastres
    for insert to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist
    with check (exists (select from public.sites as s where s.id = site_id));

-- site_id is not granted: a parcel never moves to another site, which could be another client's.
grant update (
    commune_code,
    prefix,
    section,
    number,
    area_m2,
    address,
    rental_value,
    reference_year
) on public.cadastres to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist;

create policy cadastres_update_admin on public.cadastres
    for update to taxclaims_admin
    using (true)
    with check (true);

create policy cadastres_update_tenant on public.cadastres
    for update to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist
    using (exists (select from public.sites as s where s.id = site_id))
    with check (exists (select from public.sites as s where s.id = site_id));

grant delete on public.cadastres to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy cadastres_delete_admin on public.cadastres
    for delete to taxclaims_admin
    using (true);

create policy cadastres_delete_tenant on public.cadastres
    for delete to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    using (exists (select from public.sites as s where s.id = site_id));

-- A reporting login reads the parcels of the sites that it reads, found as documents are: see documents.sql.
grant select (
    id,
    site_id,
    commune_code,
    prefix,
    section,
    number,
    reference,
    area_m2,
    address,
    rental_value,
    reference_year,
    created_at,
    updated_at
) on public.cadastres to
    taxclaims_reporting;

create policy cadastres_select_reporting on public.cadastres
    for select to taxclaims_reporting
    using (
        ((select array(select s.id from public.sites as s order by s.id))::uuid[])[
            pg_catalog.width_bucket(
                site_id,
                (select array(select s.id from public.sites as s order by s.id))::uuid[]
            )
        ] = site_id
    );

create policy cadastres_select_reporting_all on public.cadastres
    for select to taxclaims_reporting_all
    using (true);

-- app.locate tells a foreign record from none.
grant select (id, site_id) on public.cadastres to taxclaims_definer;

create policy cadastres_select_definer on public.cadastres
    for select to taxclaims_definer
    using (true);
