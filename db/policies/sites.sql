-- A client's sites are read by whoever has access to the client, and written by the firm's people alone;
-- a tax specialist deletes none.

grant select (
    id,
    client_id,
    site_name,
    address,
    created_at,
    updated_at,
    -- What they may read already, as lists search it.
    search_text,
    -- Which transaction wrote the row: a walk in the order of change asks for it.
    xmin
) on public.sites to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;

create policy sites_select_admin on public.sites
    for select to taxclaims_admin
    using (true);

create policy sites_select_tenant on public.sites
    for select to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist,
        taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));

grant insert (
    id,
    client_id,
    site_name,
    address
) on public.sites to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist;

create policy sites_insert_admin on public.sites
    for insert to taxclaims_admin
    with check (true);

create policy sites_insert_tenant on public.sites
    for insert to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist
    with check (client_id = any ((select app.client_access())::uuid[]));

-- client_id is not granted: a site never moves to another client.
grant update (
    site_name,
    address
) on public.sites to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist;

create policy sites_update_admin on public.sites
    for update to taxclaims_admin
    using (true)
    with check (true);

create policy sites_update_tenant on public.sites
    for update to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist
    using (client_id = any ((select app.client_access())::uuid[]))
    with check (client_id = any ((select app.client_access())::uuid[]));

grant delete on public.sites to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy sites_delete_admin on public.sites
    for delete to taxclaims_admin
    using (true);

create policy sites_delete_tenant on public.sites
    for delete to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]));

-- Reporting reads no setting, which anyone with SQL can set: it asks what was granted to the login.
grant select (
    id,
    client_id,
    site_name,
    address,
    created_at,
    updated_at
) on public.sites to
    taxclaims_reporting;

create policy sites_select_reporting on public.sites
    for select to taxclaims_reporting
    using (client_id in (select g.client_id from reporting.grants as g where g.login = session_user));

create policy sites_select_reporting_few on public.sites
    as restrictive
    for select to taxclaims_reporting_few
    using (
        client_id = any (
            (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
        )
    );

create policy sites_select_reporting_all on public.sites
    for select to taxclaims_reporting_all
    using (true);

-- app.locate tells a foreign record from none.
grant select (id, client_id) on public.sites to taxclaims_definer;

create policy sites_select_definer on public.sites
    for select to taxclaims_definer
    using (true);
