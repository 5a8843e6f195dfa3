-- The trigger functions in this file run with the rights of the role that writes the row.

-- app.check_clients_of_user does not run for a login, because the identity provider may still list a deleted client,
-- which has no effect. The trigger users_check_clients runs after the write, so that the policies can refuse a
-- forbidden row before it.
create or replace function app.check_clients_of_user()
    returns trigger
    language plpgsql stable set search_path = ''
as $function$
declare
    known constant uuid[] := case tg_op when 'UPDATE' then old.client_access else '{}' end;
begin
    if exists (
        select
        from pg_catalog.unnest(new.client_access) as a (id)
        where a.id <> all (known) and not exists (select from public.clients as c where c.id = a.id)
    ) then
        raise exception 'client_access names a client that does not exist'
            using errcode = 'TX409', constraint = 'users_client_access_exists';
    end if;
    return null;
end
$function$;

comment on function app.check_clients_of_user() is
    'Trigger of users that refuses (TX409) to add a client that does not exist.';

create or replace trigger users_check_clients
    after insert or update of client_access on public.users
    for each row
    when (new.client_access <> '{}' and current_user <> 'taxclaims_definer')
    execute function app.check_clients_of_user();

create or replace function app.keep_own_administration()
    returns trigger
    language plpgsql stable set search_path = ''
as $function$
begin
    if new.id = app.user_id() and app.role() = 'ADMIN' then
        raise exception 'an ADMIN cannot end their own account or role'
            using
                errcode = 'TX409',
                detail = (
                    select pg_catalog.jsonb_object_agg(c.field, 'is your own: another ADMIN has to change it')
                    from (values ('is_active', not new.is_active), ('role', new.role <> 'ADMIN')) as c (field, is_changed)
                    where c.is_changed
                ),
                hint = '["own_account", {}]';
    end if;
    return new;
end
$function$;

comment on function app.keep_own_administration() is
    'Trigger of users that prevents (TX409) an ADMIN from ending their own account or role.';

create or replace trigger users_keep_own_administration
    before update of role, is_active on public.users
    for each row
    when (not new.is_active or new.role <> 'ADMIN')
    execute function app.keep_own_administration();

create constraint trigger users_date_rights_change_at_commit
    after update on public.users
    deferrable initially deferred
    for each row
    when (
        new.access_changed_at = old.access_changed_at
        and (
            old.role <> new.role
            or old.client_access <> new.client_access
            or old.is_active <> new.is_active
        )
    )
    execute function app.date_rights_change_at_commit();

-- users_date_first_rights_at_commit does not run if the insert sets access_changed_at, as a first login does.
create constraint trigger users_date_first_rights_at_commit
    after insert on public.users
    deferrable initially deferred
    for each row
    when (new.access_changed_at = pg_catalog.now())
    execute function app.date_rights_change_at_commit();

create constraint trigger users_end_sessions_at_commit
    after update on public.users
    deferrable initially deferred
    for each row
    when (
        (old.password_hash <> new.password_hash and old.password_hash <> '!')
        or (old.is_active and not new.is_active)
    )
    execute function app.end_sessions_at_commit();

create or replace trigger users_forget_person
    after update of erased_at on public.users
    for each row
    when (old.erased_at is null and new.erased_at is not null)
    execute function app.forget_person();

create or replace trigger users_forget_created_clients
    after update of client_access on public.users
    for each row
    when (old.client_access <> new.client_access)
    execute function app.forget_created_clients();

create or replace trigger users_keep_last_administrator
    after update of role, is_active, client_access on public.users
    for each row
    when (
        old.role = 'ADMIN' and old.is_active and old.client_access = '{}'
        and not (new.role = 'ADMIN' and new.is_active and new.client_access = '{}')
    )
    execute function app.keep_last_administrator();

create or replace trigger users_keep_last_administrator_on_delete
    after delete on public.users
    for each row
    when (old.role = 'ADMIN' and old.is_active and old.client_access = '{}')
    execute function app.keep_last_administrator();

-- A calendar address shows the deadlines of the user's current clients. The calendar address becomes invalid when the
-- user's account, role or password changes, and when the list of clients becomes empty or stops being empty, because an
-- ADMIN with an empty list has every client.
create or replace function app.clear_calendar_address()
    returns trigger
    language plpgsql stable set search_path = ''
as $function$
begin
    new.calendar_digest := null;
    return new;
end
$function$;

comment on function app.clear_calendar_address() is 'Trigger of users that removes the address of the user''s calendar.';

create or replace trigger users_clear_calendar_address
    before update on public.users
    for each row
    when (
        old.calendar_digest is not null
        and (
            not new.is_active
            or new.role <> old.role
            or (new.client_access = '{}') <> (old.client_access = '{}')
            or (old.password_hash <> new.password_hash and old.password_hash <> '!')
        )
    )
    execute function app.clear_calendar_address();
