-- A client's record is read by whoever has access to that client, changed by administrators and account managers,
-- and deleted by administrators alone.

-- An ADMIN whose token names no client has the whole system, by a policy of its own: an `or` would cost the index.
grant select (
    id,
    company_name,
    contact_email,
    address,
    created_at,
    updated_at,
    -- What they may read already, as lists search it.
    search_text,
    -- Which transaction wrote the row: a walk in the order of change asks for it.
    xmin
) on public.clients to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;

create policy clients_select_admin on public.clients
    for select to taxclaims_admin
    using (true);

create policy clients_select_tenant on public.clients
    for select to
        taxclaims_scoped_admin,
        taxclaims_account_manager,
        taxclaims_tax_specialist,
        taxclaims_client
    using (id = any ((select app.client_access())::uuid[]));

-- Whoever creates a client holds its id in app.client_access first: the API makes the id and names it.
grant insert (
    id,
    company_name,
    contact_email,
    address
) on public.clients to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy clients_insert_admin on public.clients
    for insert to taxclaims_admin
    with check (true);

create policy clients_insert_tenant on public.clients
    for insert to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    with check (id = any ((select app.client_access())::uuid[]));

-- id and the timestamps are not granted: they never change by hand.
grant update (
    company_name,
    contact_email,
    address
) on public.clients to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;

create policy clients_update_admin on public.clients
    for update to taxclaims_admin
    using (true)
    with check (true);

create policy clients_update_tenant on public.clients
    for update to
        taxclaims_scoped_admin,
        taxclaims_account_manager
    using (id = any ((select app.client_access())::uuid[]))
    with check (id = any ((select app.client_access())::uuid[]));

grant delete on public.clients to
    taxclaims_admin,
    taxclaims_scoped_admin;

create policy clients_delete_admin on public.clients
    for delete to taxclaims_admin
    using (true);

create policy clients_delete_tenant on public.clients
    for delete to taxclaims_scoped_admin
    using (id = any ((select app.client_access())::uuid[]));

-- Reporting reads no setting, which anyone with SQL can set: it asks what was granted to the login.
grant select (
    id,
    company_name,
    contact_email,
    address,
    created_at,
    updated_at
) on public.clients to
    taxclaims_reporting;

create policy clients_select_reporting on public.clients
    for select to taxclaims_reporting
    using (id in (select g.client_id from reporting.grants as g where g.login = session_user));

-- A login with few clients is in taxclaims_reporting_few as well, whose policy says the same once more, in the form that
-- an index answers: for each row, as above, it would be the dearer the more clients there are. It can only take away.
create policy clients_select_reporting_few on public.clients
    as restrictive
    for select to taxclaims_reporting_few
    using (
        id = any (
            (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
        )
    );

-- A login that has all clients is in taxclaims_reporting_all as well, and then sees every row at no cost: `or true`
-- leaves nothing of the other policy. The role holds no right: what may be read of a row is the same for both.
create policy clients_select_reporting_all on public.clients
    for select to taxclaims_reporting_all
    using (true);

-- app.locate tells a foreign record from none.
grant select (id) on public.clients to taxclaims_definer;

create policy clients_select_definer on public.clients
    for select to taxclaims_definer
    using (true);
