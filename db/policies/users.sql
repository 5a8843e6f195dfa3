-- A user reads their own record. An account manager reads the users who share a client with them. Administrators
-- create and change users. Nobody deletes a user: an account is set to inactive instead.

-- No request role reads password_hash, subject, access_digest, calendar_digest or erased_at. The function
-- app.choose_reminders writes a user's own settings.
select app.grant_columns(
    'public.users', readers => 'taxclaims_client', writers => 'taxclaims_scoped_admin',
    cr => '{id}',
    cru => '{email, name, role, client_access, is_active}',
    cu => '{password_hash}',
    r => '{created_at, updated_at, language, reminder_kinds, reminders_only_mine, xmin}'
);

create policy users_select_self on public.users for select to taxclaims_client
    using (id = (select app.user_id()));
-- Two permissive policies are joined with `or`. The cost is small, because the table is small.
create policy users_select_sharing on public.users for select to taxclaims_account_manager
    using (client_access && (select app.client_access())::uuid[]);
-- An ADMIN with a list of clients cannot grant a client outside that list, and cannot create an ADMIN without a list.
create policy users_insert_scoped_admin on public.users for insert to taxclaims_scoped_admin
    with check (
        client_access <@ (select app.client_access())::uuid[]
        and (role <> 'ADMIN' or client_access <> '{}')
    );
create policy users_update_scoped_admin on public.users for update to taxclaims_scoped_admin
    using (
        client_access <@ (select app.client_access())::uuid[]
        and (role <> 'ADMIN' or client_access <> '{}')
    )
    with check (
        client_access <@ (select app.client_access())::uuid[]
        and (role <> 'ADMIN' or client_access <> '{}')
    );

-- A login sees the users who share a client with its grants. A login with all clients also sees users without
-- clients, by taxclaims_reporting_all.
create policy users_select_reporting on public.users for select to taxclaims_reporting
    using (
        client_access && (
            select array(select g.client_id from reporting.grants as g where g.login = session_user)
        )::uuid[]
    );

grant
    select (
        id, email, password_hash, name, role, client_access, is_active, created_at, updated_at, subject,
        access_changed_at, access_digest, sessions_ended_at, erased_at, calendar_digest, language, reminder_kinds,
        reminders_only_mine
    ),
    insert (id, email, password_hash, name, role, client_access, subject, access_changed_at),
    update (
        email, name, role, client_access, is_active, subject, access_changed_at, sessions_ended_at, password_hash, erased_at,
        calendar_digest, language, reminder_kinds, reminders_only_mine
    )
on public.users to taxclaims_definer;
create policy users_select_definer on public.users for select to taxclaims_definer using (true);
create policy users_insert_definer on public.users for insert to taxclaims_definer
    with check (subject = app.setting('actor'));
-- A caller changes their own row by a login, a new client, a new password or a new calendar. At a first login that
-- row may have no subject yet.
-- app.erase_user and app.assign_client change rows of others: an ADMIN changes all, an account manager those of
-- TAX_SPECIALIST and CLIENT users.
-- Outside a request a trigger dates the rights that a DBA changed.
create policy users_update_definer on public.users for update to taxclaims_definer
    using (true)
    with check (
        subject = app.setting('actor')
        or (subject is null and id = (select app.user_id()))
        or (select app.role()) = 'ADMIN'
        or ((select app.role()) = 'ACCOUNT_MANAGER' and role in ('TAX_SPECIALIST', 'CLIENT'))
        or ((select app.role()) is null and pg_catalog.pg_trigger_depth() > 0)
    );
