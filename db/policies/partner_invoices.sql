-- What a partner bills for a client is the firm's margin: administrators and account managers read and write it,
-- a tax specialist and the client never see it.

grant select (
    id,
    partner_id,
    client_id,
    invoice_id,
    number,
    status,
    issue_date,
    due_date,
    amount_excl_tax,
    vat_rate,
    vat_amount,
    amount_incl_tax,
    created_at,
    updated_at,
    -- Which transaction wrote the row: a walk in the order of change asks for it.
    xmin
) on public.partner_invoices to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy partner_invoices_select_admin on public.partner_invoices
    for select to taxclaims_admin
    using (true);

create policy partner_invoices_select_tenant on public.partner_invoices
    for select to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]));

-- status is not granted: a bill begins as RECEIVED.
grant insert (
    id,
    partner_id,
    client_id,
    invoice_id,
    number,
    issue_date,
    due_date,
    amount_excl_tax,
    vat_rate,
    vat_amount,
    amount_incl_tax
) on public.partner_invoices to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy partner_invoices_insert_admin on public.partner_invoices
    for insert to taxclaims_admin
    with check (true);

-- The foreign key looks past the partner's policies: a bill is of a partner that the caller sees.
create policy partner_invoices_insert_tenant on public.partner_invoices
    for insert to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    with check (
        client_id = any ((select app.client_access())::uuid[])
        and exists (select from public.partners as p where p.id = partner_id)
    );

-- client_id and partner_id are not granted: a bill never moves.
grant update (
    status,
    invoice_id,
    number,
    issue_date,
    due_date,
    amount_excl_tax,
    vat_rate,
    vat_amount,
    amount_incl_tax
) on public.partner_invoices to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy partner_invoices_update_admin on public.partner_invoices
    for update to taxclaims_admin
    using (true)
    with check (true);

create policy partner_invoices_update_tenant on public.partner_invoices
    for update to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]))
    with check (client_id = any ((select app.client_access())::uuid[]));

grant delete on public.partner_invoices to
    taxclaims_admin,
    taxclaims_scoped_admin;

create policy partner_invoices_delete_admin on public.partner_invoices
    for delete to taxclaims_admin
    using (true);

create policy partner_invoices_delete_tenant on public.partner_invoices
    for delete to taxclaims_scoped_admin
    using (client_id = any ((select app.client_access())::uuid[]));

-- Reporting reads no setting, which anyone with SQL can set: it asks what was granted to the login.
grant select (
    id,
    partner_id,
    client_id,
    invoice_id,
    number,
    status,
    issue_date,
    due_date,
    amount_excl_tax,
    vat_rate,
    vat_amount,
    amount_incl_tax,
    created_at,
    updated_at
) on public.partner_invoices to
    taxclaims_reporting;

create policy partner_invoices_select_reporting on public.partner_invoices
    for select to taxclaims_reporting
    using (client_id in (select g.client_id from reporting.grants as g where g.login = session_user));

create policy partner_invoices_select_reporting_few on public.partner_invoices
    as restrictive
    for select to taxclaims_reporting_few
    using (
        client_id = any (
            (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
        )
    );

create policy partner_invoices_select_reporting_all on public.partner_invoices
    for select to taxclaims_reporting_all
    using (true);

-- app.locate tells a foreign record from none.
grant select (id, client_id) on public.partner_invoices to taxclaims_definer;

create policy partner_invoices_select_definer on public.partner_invoices
    for select to taxclaims_definer
    using (true);
