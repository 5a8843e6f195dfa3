-- Who the caller is, by the identity provider's subject, and what becomes of their rights. The only code that reads or
-- writes the columns subject, access_changed_at and access_digest; what ends a session stands in passwords.sql.

-- The one with its subject, or the one without any whose id it is, as a provider says that has its users from here; else
-- `unclaimed`. Where that is the id of one with another subject, the provider has given a subject that is somebody else's
-- id, and would be given somebody else's record.
create or replace function app.caller_id(
    subject text, issued_at timestamp with time zone, access_digest text, unclaimed uuid
)
    returns uuid
    language plpgsql stable security definer set search_path = ''
as $function$
declare
    known record;
begin
    select u.id, u.is_active, u.sessions_ended_at, u.access_digest, u.access_changed_at
    into known
    from public.users as u
    where u.subject = caller_id.subject;
    if not found then
        select u.id, u.subject, u.is_active, u.sessions_ended_at, u.access_digest, u.access_changed_at
        into known
        from public.users as u
        where u.id = unclaimed;
        if known.subject is not null then
            raise exception 'the subject is the id of another user' using errcode = 'TX401';
        end if;
        if not found or known.id::text is distinct from caller_id.subject then
            return unclaimed;
        end if;
    end if;
    -- Most are this, of whom nothing else is asked.
    if known.is_active and known.sessions_ended_at is null and known.access_digest = caller_id.access_digest then
        return known.id;
    end if;
    perform app.require_present_rights(
        caller_id.subject, known.is_active, known.sessions_ended_at, known.access_digest, known.access_changed_at,
        caller_id.access_digest, caller_id.issued_at
    );
    return known.id;
end
$function$;

comment on function app.caller_id(text, timestamp with time zone, text, uuid) is
    'The stored user behind a token, or the id of a caller who is not stored; refuses (TX401) one whose rights no longer '
    'hold, and an id that is another user''s.';
grant execute on function app.caller_id(text, timestamp with time zone, text, uuid) to taxclaims_api;

-- In two steps, for the release before, which goes on serving while a deploy is under way.
create or replace function app.authenticate(subject text, issued_at timestamp with time zone, access_digest text)
    returns uuid
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return app.caller_id(
        authenticate.subject, authenticate.issued_at, authenticate.access_digest,
        case
            when authenticate.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then authenticate.subject::uuid
        end
    );
end
$function$;

comment on function app.authenticate(text, timestamp with time zone, text) is
    'The stored user behind a token, null where none is stored, as the release before asks.';
grant execute on function app.authenticate(text, timestamp with time zone, text) to taxclaims_api;

create or replace function app.unclaimed_id(id uuid)
    returns uuid
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return app.caller_id(null, null, null, unclaimed_id.id);
end
$function$;

comment on function app.unclaimed_id(uuid) is
    'The id of a caller who is not stored; refuses (TX401) one that is another user''s, as the release before asks.';
grant execute on function app.unclaimed_id(uuid) to taxclaims_api;

-- Records the caller of this transaction with the role and the clients of the token, and with the clients that the caller
-- created and no token has said yet; the rest of the transaction is that user's. What the row says is judged while it is
-- held: TX401 where its rights were changed after the token was issued. TX409 when the email or the id belongs to another
-- subject, and for a token that would leave the firm without an ADMIN. The email is null unless the provider has verified
-- it; a caller who is not stored yet then stays so. The rights of a login date from the second before its token: older
-- tokens that say otherwise are refused, the token itself is not when its user's own request adds a client later.
drop function if exists app.record_login(text, text, timestamp with time zone);

create function app.record_login(email text, name text, issued_at timestamp with time zone)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    caller constant text := app.setting('actor');
    target constant uuid := app.hold_login(record_login.email, record_login.name, record_login.issued_at);
    said constant uuid[] := app.client_access();
    listed uuid[] := said;
    stored record;
begin
    if target is null then
        return;
    end if;
    select u.subject, u.is_active, u.sessions_ended_at, u.access_digest, u.access_changed_at
    into stored
    from public.users as u
    where u.id = target;
    perform app.require_present_rights(
        caller, stored.is_active, stored.sessions_ended_at, stored.access_digest, stored.access_changed_at,
        app.access_digest(app.role(), said), record_login.issued_at
    );

    -- A token that is only behind a creation takes back nothing of what is stored.
    if stored.access_digest <> app.access_digest(app.role(), said)
        and not app.was_issued_after(record_login.issued_at, stored.access_changed_at)
    then
        perform pg_catalog.set_config('app.user_id', target::text, true);
        return;
    end if;

    -- Whoever creates no clients any more keeps none that the provider does not know of.
    delete from app.created_clients as c
    where c.subject = caller
        and (c.client_id = any (said) or app.role() not in ('ADMIN', 'ACCOUNT_MANAGER'));
    if app.role() <> 'ADMIN' or said <> '{}' then
        listed := said || array(
            select c.client_id from app.created_clients as c where c.subject = caller order by c.created_at, c.client_id
        );
    end if;

    if stored.subject is null or stored.access_digest <> app.access_digest(app.role(), listed) then
        update public.users as u
        set
            subject = caller,
            role = app.role(),
            client_access = listed,
            access_changed_at = case
                when u.access_digest <> app.access_digest(app.role(), listed)
                    -- Another moment in any case: it tells that this writer named one.
                    then greatest(
                        record_login.issued_at - interval '1 second', u.access_changed_at + interval '1 microsecond'
                    )
                else u.access_changed_at
            end
        where u.id = target;
        -- The provider knows what its token says, and no more; it does not, where it was told of other rights since the
        -- token was issued, or is being told.
        if app.access_digest(app.role(), listed) <> app.access_digest(app.role(), said)
            or exists (
                select
                from public.identity_changes as c
                where c.user_id = target
                    and coalesce(app.provider_time(c.delivered_at) >= record_login.issued_at, true)
            )
        then
            perform app.note_identity_change(target, false);
        end if;
    end if;

    perform pg_catalog.set_config('app.user_id', target::text, true);
end
$function$;

comment on function app.record_login(text, text, timestamp with time zone) is
    'Stores the caller with the role and the clients of the token, and the clients that they created and no token has '
    'said yet.';
grant execute on function app.record_login(text, text, timestamp with time zone) to taxclaims_client, taxclaims_admin;

-- Gives a client to the user who is about to create it: in the stored list, so that the next token can say it, and
-- among the created, so that a login with the same token does not take it away. TX401 where the rights of the token
-- were changed meanwhile; nothing is created then. Where the token is older than the last change, as every token is until
-- the identity provider knows that change, it would be refused from here on, for it says less than what is then stored:
-- it is noted as the one that goes on. One that is younger may say more than what is stored, and needs no note.
-- An ADMIN without a list has every client already, and a list would take the others away.
create or replace function app.gain_client(client uuid, issued_at timestamp with time zone, access_digest text)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    caller constant text := app.setting('actor');
    stored record;
    stored_digest text;
begin
    if gain_client.client <> all (app.client_access()) then
        raise exception 'no access to client %', gain_client.client using errcode = 'insufficient_privilege';
    end if;
    select u.id, u.is_active, u.sessions_ended_at, u.access_digest, u.access_changed_at
    into stored
    from public.users as u
    where u.subject = caller
    for no key update;
    if found then
        perform app.require_present_rights(
            caller, stored.is_active, stored.sessions_ended_at, stored.access_digest, stored.access_changed_at,
            gain_client.access_digest, gain_client.issued_at
        );
        update public.users as u
        set client_access = u.client_access || gain_client.client
        where u.id = stored.id
            and (u.role <> 'ADMIN' or u.client_access <> '{}')
            and gain_client.client <> all (u.client_access)
        returning case
            when not app.was_issued_after(gain_client.issued_at, u.access_changed_at) then u.access_digest
        end
        into stored_digest;
    end if;
    if gain_client.access_digest <> app.access_digest('ADMIN', '{}') then
        insert into app.created_clients (subject, client_id, token_digest, stored_digest)
        values (
            caller,
            gain_client.client,
            case when stored_digest is not null then gain_client.access_digest end,
            stored_digest
        )
        on conflict do nothing;
    end if;
end
$function$;

comment on function app.gain_client(uuid, timestamp with time zone, text) is
    'Gives a client to the user who is about to create it, in the same transaction.';
grant execute on function app.gain_client(uuid, timestamp with time zone, text) to taxclaims_account_manager, taxclaims_admin;
