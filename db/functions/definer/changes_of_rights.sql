-- The API refuses a token issued before the commit of a change of rights if the token's rights are not the stored
-- rights. The trigger of app.date_rights_change_at_commit is deferred to the commit, because a token issued while the
-- change waits for a lock still has the old rights. app.date_rights_change_at_commit skips logins, which set
-- access_changed_at themselves, and creations of clients, which leave it unchanged. If the service sends changes to the
-- identity provider, app.date_rights_change_at_delivery sets access_changed_at again after the provider confirms the
-- change. All dates of changes of rights are times of the identity provider's clock, which also dates tokens.
create or replace function app.date_rights_change_at_commit()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    is_own_gain constant boolean := tg_op = 'UPDATE'
        and coalesce(new.id = app.user_id(), false)
        and new.role = old.role
        and new.is_active = old.is_active
        and new.client_access @> old.client_access
        and (new.role <> 'ADMIN' or old.client_access <> '{}');
begin
    if tg_op = 'UPDATE' then
        perform app.note_identity_change(new.id, not is_own_gain);
    end if;
    if is_own_gain then
        return null;
    end if;
    update public.users as u
    set access_changed_at = greatest(app.provider_time(pg_catalog.clock_timestamp()), u.access_changed_at)
    where u.id = new.id;
    return null;
end
$function$;

comment on function app.date_rights_change_at_commit() is
    'Trigger of users that makes tokens from before a change of rights invalid, and stores the change for the '
    'identity provider.';
grant execute on function app.date_rights_change_at_commit() to taxclaims_owner;

create or replace function app.forget_created_clients()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    delete from app.created_clients as c
    where c.subject = new.subject and c.client_id <> all (new.client_access);
    return null;
end
$function$;

comment on function app.forget_created_clients() is
    'Trigger of users that removes a client from app.created_clients when the user''s list loses the client, so that a '
    'later login does not give the client back to the user.';
grant execute on function app.forget_created_clients() to taxclaims_owner;

-- At least one active ADMIN without a list of clients must remain. Of two simultaneous removals of ADMINs, the second
-- waits for the first, because each updates the only row of app.administrator_guard.
create or replace function app.keep_last_administrator()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update app.administrator_guard as g
    set passed_at = pg_catalog.clock_timestamp();
    if not exists (
        select
        from public.users as u
        where u.role = 'ADMIN' and u.is_active and u.client_access = '{}'
    ) then
        raise exception 'the last active ADMIN without a list of clients must remain'
            using
                errcode = 'TX409',
                constraint = 'users_last_administrator',
                detail = coalesce(
                    (
                        select pg_catalog.jsonb_object_agg(c.field, 'is that of the last active ADMIN with access to all clients, who must remain one')
                        from (
                            values
                                ('is_active', not new.is_active),
                                ('role', new.role <> 'ADMIN'),
                                ('client_access', new.client_access <> '{}')
                        ) as c (field, is_changed)
                        where c.is_changed
                    ),
                    '{"id": "is that of the last active ADMIN with access to all clients, who must remain one"}'
                ),
                hint = '["last_administrator", {}]';
    end if;
    return null;
end
$function$;

comment on function app.keep_last_administrator() is
    'Trigger of users that refuses (TX409) to remove the last active ADMIN with access to every client.';
grant execute on function app.keep_last_administrator() to taxclaims_owner;
