-- A user reads their own record; an account manager reads those who share a client too; administrators make and
-- change users. Nobody deletes one: a user is made inactive.

-- No request role reads password_hash, or the columns that tie a user to the identity provider.
select app.grant_columns(
    'public.users', readers => 'taxclaims_client', writers => 'taxclaims_scoped_admin',
    cr => '{id}',
    cru => '{email, name, role, client_access, is_active}',
    cu => '{password_hash}',
    r => '{created_at, updated_at, xmin}'
);

create policy users_select_self on public.users for select to taxclaims_client
    using (id = (select app.user_id()));
-- Beside the one above: few rows and never a hot path, here an `or` costs nothing.
create policy users_select_sharing on public.users for select to taxclaims_account_manager
    using (client_access && (select app.client_access())::uuid[]);
-- An ADMIN with a list gives no more than the list, and makes no ADMIN without one.
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

-- A reporting login reads the users who share a client with it; one that has all clients also those who have none, and
-- administrators without a list. The view shows no list (client_access), which names clients of others, and no secret.
create policy users_select_reporting on public.users for select to taxclaims_reporting
    using (
        client_access && (
            select array(select g.client_id from reporting.grants as g where g.login = session_user)
        )::uuid[]
    );

-- Who the caller is, what the last token said, and whether a password is the caller's: db/functions/definer/identity.sql
-- and passwords.sql, which compares a hash and gives none to anybody.
grant
    select (
        id, email, password_hash, name, role, client_access, is_active, updated_at, subject,
        access_changed_at, access_digest, sessions_ended_at
    ),
    insert (id, email, password_hash, name, role, client_access, subject, access_changed_at),
    update (role, client_access, subject, access_changed_at, sessions_ended_at, password_hash)
on public.users to taxclaims_definer;
create policy users_select_definer on public.users for select to taxclaims_definer using (true);
create policy users_insert_definer on public.users for insert to taxclaims_definer
    with check (subject = app.setting('actor'));
-- A login, whoever creates a client and whoever changes their password change their own row, which has no subject where
-- its id was the name of the user so far; app.assign_client changes one of another, for an ADMIN, or for an account manager
-- that of a TAX_SPECIALIST or CLIENT. Outside a request it is a DBA who changes a user, and the trigger that dates it.
create policy users_update_definer on public.users for update to taxclaims_definer
    using (true)
    with check (
        subject = app.setting('actor')
        or (subject is null and id = (select app.user_id()))
        or (select app.role()) = 'ADMIN'
        or ((select app.role()) = 'ACCOUNT_MANAGER' and role in ('TAX_SPECIALIST', 'CLIENT'))
        or ((select app.role()) is null and pg_catalog.pg_trigger_depth() > 0)
    );
