-- Which partner brought which client: read by the firm's people for their clients, made and unmade by
-- administrators and account managers.

grant select (
    client_id,
    partner_id,
    created_at
) on public.client_partners to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist;

create policy client_partners_select_admin on public.client_partners
    for select to taxclaims_admin
    using (true);

create policy client_partners_select_tenant on public.client_partners
    for select to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist
    using (client_id = any ((select app.client_access())::uuid[]));

-- A link gives sight of the partner, so the partner must be within reach already or belong to nobody yet.
grant insert (
    client_id,
    partner_id
) on public.client_partners to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy client_partners_insert_admin on public.client_partners
    for insert to taxclaims_admin
    with check (true);

create policy client_partners_insert_tenant on public.client_partners
    for insert to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    with check (
        client_id = any ((select app.client_access())::uuid[])
        and app.partner_within_reach(partner_id)
    );

-- Update is granted to nobody: a link is there or not.

grant delete on public.client_partners to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy client_partners_delete_admin on public.client_partners
    for delete to taxclaims_admin
    using (true);

create policy client_partners_delete_tenant on public.client_partners
    for delete to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]));

-- Reporting reads no setting, which anyone with SQL can set: it asks what was granted to the login.
grant select (
    client_id,
    partner_id,
    created_at
) on public.client_partners to
    taxclaims_reporting;

create policy client_partners_select_reporting on public.client_partners
    for select to taxclaims_reporting
    using (client_id in (select g.client_id from reporting.grants as g where g.login = session_user));

create policy client_partners_select_reporting_few on public.client_partners
    as restrictive
    for select to taxclaims_reporting_few
    using (
        client_id = any (
            (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
        )
    );

create policy client_partners_select_reporting_all on public.client_partners
    for select to taxclaims_reporting_all
    using (true);

-- app.partner_within_reach looks at all links of one partner.
grant select (client_id, partner_id) on public.client_partners to taxclaims_definer;

create policy client_partners_select_definer on public.client_partners
    for select to taxclaims_definer
    using (true);
