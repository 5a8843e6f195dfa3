-- A user reads their own record, an account manager those who share a client; administrators create and change users.
-- Nobody deletes one: a user becomes inactive.

-- No request role reads password_hash, subject, access_digest, calendar_digest or erased_at. app.choose_reminders writes what a user chooses.
select app.grant_columns(
    'public.users', readers => 'taxclaims_client', writers => 'taxclaims_scoped_admin',
    cr => '{id}',
    cru => '{email, name, role, client_access, is_active}',
    cu => '{password_hash}',
    r => '{created_at, updated_at, language, reminder_kinds, reminders_only_mine, xmin}'
);

create policy users_select_self on public.users for select to taxclaims_client
    using (id = (select app.user_id()));
-- A second permissive policy: users are few, so the `or` costs nothing.
create policy users_select_sharing on public.users for select to taxclaims_account_manager
    using (client_access && (select app.client_access())::uuid[]);
-- An ADMIN with a list grants no client outside it, and makes no ADMIN without a list.
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

-- Users who share a granted client. With all clients also users without any.
create policy users_select_reporting on public.users for select to taxclaims_reporting
    using (
        client_access && (
            select array(select g.client_id from reporting.grants as g where g.login = session_user)
        )::uuid[]
    );

-- For db/functions/definer/identity.sql, passwords.sql, calendars.sql, reminders.sql and personal_data.sql.
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
-- A login, a creation of a client, a new password and a calendar change the caller's own row, which may have no subject yet.
-- app.erase_user and app.assign_client change others, for an ADMIN, or for an account manager TAX_SPECIALIST and CLIENT users. Outside a
-- request, the trigger that dates a DBA's change.
create policy users_update_definer on public.users for update to taxclaims_definer
    using (true)
    with check (
        subject = app.setting('actor')
        or (subject is null and id = (select app.user_id()))
        or (select app.role()) = 'ADMIN'
        or ((select app.role()) = 'ACCOUNT_MANAGER' and role in ('TAX_SPECIALIST', 'CLIENT'))
        or ((select app.role()) is null and pg_catalog.pg_trigger_depth() > 0)
    );
