-- A client's invoices are read by whoever has access to the client, and written by administrators and account
-- managers. One that was issued is never deleted, whoever asks: a trigger holds that.

grant select (
    id,
    client_id,
    reclamation_id,
    number,
    status,
    issue_date,
    due_date,
    amount_excl_tax,
    vat_rate,
    vat_amount,
    amount_incl_tax,
    paid_at,
    created_at,
    updated_at,
    -- Which transaction wrote the row: a walk in the order of change asks for it.
    xmin
) on public.factures to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;

create policy factures_select_admin on public.factures
    for select to taxclaims_admin
    using (true);

create policy factures_select_tenant on public.factures
    for select to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist,
        taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));

-- number and status are not granted: an invoice begins as DRAFT and is numbered when it is issued.
grant insert (
    id,
    client_id,
    reclamation_id,
    issue_date,
    due_date,
    amount_excl_tax,
    vat_rate
) on public.factures to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy factures_insert_admin on public.factures
    for insert to taxclaims_admin
    with check (true);

create policy factures_insert_tenant on public.factures
    for insert to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    with check (client_id = any ((select app.client_access())::uuid[]));

-- client_id and number are not granted: the client never changes, and the number comes with the issue.
grant update (
    reclamation_id,
    status,
    issue_date,
    due_date,
    amount_excl_tax,
    vat_rate,
    paid_at
) on public.factures to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy factures_update_admin on public.factures
    for update to taxclaims_admin
    using (true)
    with check (true);

create policy factures_update_tenant on public.factures
    for update to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]))
    with check (client_id = any ((select app.client_access())::uuid[]));

grant delete on public.factures to
    taxclaims_admin,
    taxclaims_scoped_admin;

create policy factures_delete_admin on public.factures
    for delete to taxclaims_admin
    using (true);

create policy factures_delete_tenant on public.factures
    for delete to taxclaims_scoped_admin
    using (client_id = any ((select app.client_access())::uuid[]));

-- Reporting reads no setting, which anyone with SQL can set: it asks what was granted to the login.
grant select (
    id,
    client_id,
    reclamation_id,
    number,
    status,
    issue_date,
    due_date,
    amount_excl_tax,
    vat_rate,
    vat_amount,
    amount_incl_tax,
    paid_at,
    created_at,
    updated_at
) on public.factures to
    taxclaims_reporting;

create policy factures_select_reporting on public.factures
    for select to taxclaims_reporting
    using (client_id in (select g.client_id from reporting.grants as g where g.login = session_user));

create policy factures_select_reporting_few on public.factures
    as restrictive
    for select to taxclaims_reporting_few
    using (
        client_id = any (
            (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
        )
    );

create policy factures_select_reporting_all on public.factures
    for select to taxclaims_reporting_all
    using (true);

-- app.locate tells a foreign record from none.
grant select (id, client_id) on public.factures to taxclaims_definer;

create policy factures_select_definer on public.factures
    for select to taxclaims_definer
    using (true);
