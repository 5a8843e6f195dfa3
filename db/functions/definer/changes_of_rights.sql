-- What follows from a change of a user's rights, whoever makes it and by whatever way. Run by the triggers on users.

-- A change of a user's rights makes tokens that say otherwise invalid from the moment at which it comes true for
-- everybody: deferred to the commit, since a change may wait long for a row or a table, and a token that is minted
-- meanwhile still says the old. Not where the writer names the moment, as a login does, which dates its rights by the
-- token that brought them; nor for a user's own request that adds a client to their list, by creating it, for the
-- token in hand says less, never more. An ADMIN without a list has every client, and loses some with the first.
-- Where the identity provider is managed, it is to be told, and the moment is that of its knowing (app.hold_tokens).
-- The moment is one of the provider's clock, with which tokens are dated, and stays what it is: a clock that is set
-- later makes no token good again.
create or replace function app.date_rights_from_commit()
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

comment on function app.date_rights_from_commit() is
    'Trigger of users: tokens issued before a change of rights is committed are refused, and the identity provider is '
    'to be told.';
grant execute on function app.date_rights_from_commit() to taxclaims_owner;

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
    'Trigger of users: a client that somebody takes from a list comes back by no later login.';
grant execute on function app.forget_created_clients() to taxclaims_owner;

-- Nobody could give the others their rights back. The one row of the guard is written by whoever makes such an ADMIN fewer,
-- so that two at once do not each count on the other.
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
        raise exception 'the last active ADMIN without a list stays one'
            using
                errcode = 'TX409',
                constraint = 'users_last_administrator',
                detail = coalesce(
                    (
                        select pg_catalog.jsonb_object_agg(c.field, 'is of the last active ADMIN without a list, who stays one')
                        from (
                            values
                                ('is_active', not new.is_active),
                                ('role', new.role <> 'ADMIN'),
                                ('client_access', new.client_access <> '{}')
                        ) as c (field, is_changed)
                        where c.is_changed
                    ),
                    '{"id": "is of the last active ADMIN without a list, who stays one"}'
                );
    end if;
    return null;
end
$function$;

comment on function app.keep_last_administrator() is
    'Trigger of users: refuses (TX409) to leave the firm without an active ADMIN who has every client.';
grant execute on function app.keep_last_administrator() to taxclaims_owner;
