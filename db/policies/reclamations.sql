-- A client's claims are read by whoever has access to the client, and written by the firm's people alone;
-- a tax specialist deletes none, and which move of its status is allowed to whom stands in reclamation_transitions.

grant select (
    id,
    client_id,
    site_id,
    claim_type,
    amount,
    status,
    tax_year,
    commune_code,
    notice_reference,
    collection_date,
    claim_deadline,
    submitted_at,
    response_due_at,
    decision_date,
    court_deadline,
    granted_amount,
    refund_amount,
    grounds,
    assignee_id,
    created_at,
    updated_at,
    -- What they may read already, as lists search it.
    search_text,
    -- Which transaction wrote the row: a walk in the order of change asks for it.
    xmin
) on public.reclamations to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;

create policy reclamations_select_admin on public.reclamations
    for select to taxclaims_admin
    using (true);

create policy reclamations_select_tenant on public.reclamations
    for select to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist,
        taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));

-- status is not granted: a claim begins as DRAFT.
grant insert (
    id,
    client_id,
    site_id,
    claim_type,
    amount,
    tax_year,
    commune_code,
    notice_reference,
    collection_date,
    submitted_at,
    decision_date,
    court_deadline,
    granted_amount,
    refund_amount,
    grounds,
    assignee_id
) on public.reclamations to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist;

create policy reclamations_insert_admin on public.reclamations
    for insert to taxclaims_admin
    with check (true);

create policy reclamations_insert_tenant on public.reclamations
    for insert to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist
    with check (client_id = any ((select app.client_access())::uuid[]));

-- client_id is not granted: a claim never moves to another client.
grant update (
    site_id,
    claim_type,
    amount,
    status,
    tax_year,
    commune_code,
    notice_reference,
    collection_date,
    submitted_at,
    decision_date,
    court_deadline,
    granted_amount,
    refund_amount,
    grounds,
    assignee_id
) on public.reclamations to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist;

create policy reclamations_update_admin on public.reclamations
    for update to taxclaims_admin
    using (true)
    with check (true);

create policy reclamations_update_tenant on public.reclamations
    for update to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist
    using (client_id = any ((select app.client_access())::uuid[]))
    with check (client_id = any ((select app.client_access())::uuid[]));

grant delete on public.reclamations to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy reclamations_delete_admin on public.reclamations
    for delete to taxclaims_admin
    using (true);

create policy reclamations_delete_tenant on public.reclamations
    for delete to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    using (client_id = any ((select app.client_access())::uuid[]));

-- Reporting reads no setting, which anyone with SQL can set: it asks what was granted to the login.
grant select (
    id,
    client_id,
    site_id,
    claim_type,
    amount,
    status,
    tax_year,
    commune_code,
    notice_reference,
    collection_date,
    claim_deadline,
    submitted_at,
    response_due_at,
    decision_date,
    court_deadline,
    granted_amount,
    refund_amount,
    grounds,
    assignee_id,
    created_at,
    updated_at
) on public.reclamations to
    taxclaims_reporting;

create policy reclamations_select_reporting on public.reclamations
    for select to taxclaims_reporting
    using (client_id in (select g.client_id from reporting.grants as g where g.login = session_user));

create policy reclamations_select_reporting_few on public.reclamations
    as restrictive
    for select to taxclaims_reporting_few
    using (
        client_id = any (
            (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
        )
    );

create policy reclamations_select_reporting_all on public.reclamations
    for select to taxclaims_reporting_all
    using (true);

-- app.locate tells a foreign record from none; app.release_claims finds the claims of a user who loses a client, and can
-- take the assignee from a claim and nothing else; app.impossible_rows asks whose site a claim is on.
grant select (id, client_id, site_id, assignee_id) on public.reclamations to taxclaims_definer;

create policy reclamations_select_definer on public.reclamations
    for select to taxclaims_definer
    using (true);

grant update (assignee_id) on public.reclamations to taxclaims_definer;

create policy reclamations_update_definer on public.reclamations
    for update to taxclaims_definer
    using (assignee_id is not null)
    with check (assignee_id is null and pg_catalog.pg_trigger_depth() > 0);
