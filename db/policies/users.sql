-- A user reads their own record. An account manager reads the users who share a client with them. Administrators
-- create and change users. Nobody deletes a user: an account is set to inactive instead.

-- No request role reads password_hash, subject, access_digest, calendar_digest or erased_at. The function
-- app.choose_reminders writes the columns language, reminder_kinds and reminders_only_mine of the caller.
select app.grant_columns(
    'public.users', readers => 'taxclaims_client', writers => 'taxclaims_scoped_admin',
    cr => '{id}',
    cru => '{email, name, role, client_access, is_active}',
    cu => '{password_hash}',
    r => '{created_at, updated_at, language, reminder_kinds, reminders_only_mine, xmin}'
);

create policy users_select_self on public.users for select to taxclaims_client
    using (id = (select app.user_id()));
-- Postgres joins the two select policies with `or`, which costs little because the table users is small.
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

-- A reporting login sees the users with access to one of its granted clients, among them each ADMIN with all clients,
-- whom claims, notes and status changes name. A reporting login with all clients also sees users without clients, by the
-- policy for taxclaims_reporting_all.
create policy users_select_reporting on public.users for select to taxclaims_reporting
    using (
        client_access && (
            select array(select g.client_id from reporting.grants as g where g.login = session_user)
        )::uuid[]
        or role = 'ADMIN'
        and client_access = '{}'
        and exists (select from reporting.grants as g where g.login = session_user)
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
-- Callers change their own row of users when they log in, create a client, or set a password or a calendar address. At
-- a first login the caller's row may have no subject yet.
-- With app.erase_user and app.assign_client an ADMIN changes the rows of all users, an account manager only the rows of
-- TAX_SPECIALIST and CLIENT users.
-- After a DBA changes a user's rights outside a request, a trigger stores the time of the change.
create policy users_update_definer on public.users for update to taxclaims_definer
    using (true)
    with check (
        subject = app.setting('actor')
        or (subject is null and id = (select app.user_id()))
        or (select app.role()) = 'ADMIN'
        or ((select app.role()) = 'ACCOUNT_MANAGER' and role in ('TAX_SPECIALIST', 'CLIENT'))
        or ((select app.role()) is null and pg_catalog.pg_trigger_depth() > 0)
    );
