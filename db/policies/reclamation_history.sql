-- The moves that a claim has made are read by whoever reads the claim. No request writes them: the claim's own
-- trigger does, and nobody changes or deletes one.

grant select (
    id,
    reclamation_id,
    client_id,
    from_status,
    to_status,
    changed_by,
    actor,
    changed_at
) on public.reclamation_history to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;

create policy reclamation_history_select_admin on public.reclamation_history
    for select to taxclaims_admin
    using (true);

create policy reclamation_history_select_tenant on public.reclamation_history
    for select to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist,
        taxclaims_client
    using (client_id = any ((select app.client_access())::uuid[]));

-- Reporting reads no setting, which anyone with SQL can set: it asks what was granted to the login. The name that
-- the identity provider has for who made the move (actor) is not for reporting.
grant select (
    id,
    reclamation_id,
    client_id,
    from_status,
    to_status,
    changed_by,
    changed_at
) on public.reclamation_history to
    taxclaims_reporting;

create policy reclamation_history_select_reporting on public.reclamation_history
    for select to taxclaims_reporting
    using (client_id in (select g.client_id from reporting.grants as g where g.login = session_user));

create policy reclamation_history_select_reporting_few on public.reclamation_history
    as restrictive
    for select to taxclaims_reporting_few
    using (
        client_id = any (
            (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
        )
    );

create policy reclamation_history_select_reporting_all on public.reclamation_history
    for select to taxclaims_reporting_all
    using (true);

-- app.record_reclamation_move writes them, from within an update of the claim alone, each dated behind the one before.
grant insert (
    reclamation_id,
    client_id,
    from_status,
    to_status,
    changed_by,
    actor,
    changed_at
) on public.reclamation_history to
    taxclaims_definer;

grant select (reclamation_id, changed_at) on public.reclamation_history to taxclaims_definer;

create policy reclamation_history_select_definer on public.reclamation_history
    for select to taxclaims_definer
    using (true);

create policy reclamation_history_insert_definer on public.reclamation_history
    for insert to taxclaims_definer
    with check (pg_catalog.pg_trigger_depth() > 0);
