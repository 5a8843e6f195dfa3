-- A partner is nobody's property: the firm's people see a partner through the clients it is linked to, and a
-- client's own users never see one.

-- The links that the caller reads decide.
grant select (
    id,
    name,
    siret,
    contact_email,
    phone,
    address,
    commission_rate,
    created_at,
    updated_at,
    -- Which transaction wrote the row: a walk in the order of change asks for it.
    xmin
) on public.partners to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist;

create policy partners_select_admin on public.partners
    for select to taxclaims_admin
    using (true);

create policy partners_select_tenant on public.partners
    for select to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist
    using (
        exists (
            select
            from public.client_partners as cp
            where cp.partner_id = partners.id
        )
    );

-- A new partner has no link yet; whoever makes it must at least have a client to link it to.
grant insert (
    id,
    name,
    siret,
    contact_email,
    phone,
    address,
    commission_rate
) on public.partners to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy partners_insert_admin on public.partners
    for insert to taxclaims_admin
    with check (true);

create policy partners_insert_tenant on public.partners
    for insert to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    with check ((select app.client_access()) <> '{}');

grant update (
    name,
    siret,
    contact_email,
    phone,
    address,
    commission_rate
) on public.partners to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy partners_update_admin on public.partners
    for update to taxclaims_admin
    using (true)
    with check (true);

create policy partners_update_tenant on public.partners
    for update to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    using (
        exists (
            select
            from public.client_partners as cp
            where cp.partner_id = partners.id
        )
    )
    with check (
        exists (
            select
            from public.client_partners as cp
            where cp.partner_id = partners.id
        )
    );

-- The links of other clients hold the row: their foreign key does not cascade.
grant delete on public.partners to
    taxclaims_admin,
    taxclaims_scoped_admin;

create policy partners_delete_admin on public.partners
    for delete to taxclaims_admin
    using (true);

create policy partners_delete_tenant on public.partners
    for delete to taxclaims_scoped_admin
    using (
        exists (
            select
            from public.client_partners as cp
            where cp.partner_id = partners.id
        )
    );

-- A reporting login reads the partners of its clients.
grant select (
    id,
    name,
    siret,
    contact_email,
    phone,
    address,
    commission_rate,
    created_at,
    updated_at
) on public.partners to
    taxclaims_reporting;

create policy partners_select_reporting on public.partners
    for select to taxclaims_reporting
    using (
        exists (
            select
            from public.client_partners as cp
            where cp.partner_id = partners.id
        )
    );

create policy partners_select_reporting_all on public.partners
    for select to taxclaims_reporting_all
    using (true);

-- app.locate tells a foreign record from none.
grant select (id) on public.partners to taxclaims_definer;

create policy partners_select_definer on public.partners
    for select to taxclaims_definer
    using (true);
