-- The functions of this file find the stored user of a token and compare the user's stored rights with the token's.

-- app.caller_id returns the id of the stored user with the token's subject. If no user has the token's subject,
-- app.caller_id returns the id of the user whose id is the token's subject and who has no subject yet. If app.caller_id
-- finds no user, it returns the parameter `unclaimed`. app.caller_id refuses a token if `unclaimed` is the id of a user
-- with another subject.
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
        select
            u.id, u.subject, u.is_active, u.sessions_ended_at, u.access_digest, u.access_changed_at,
            exists (select from public.users as e where e.subject = app.erased_subject(caller_id.subject)) as is_erased
        into known
        from (values (unclaimed)) as asked (id)
        left join public.users as u on u.id = asked.id;
        if known.is_erased then
            perform app.refuse_erased(caller_id.subject);
        end if;
        if known.subject is not null then
            raise exception 'the subject is the id of another user' using errcode = 'TX401';
        end if;
        if known.id is null or known.id::text is distinct from caller_id.subject then
            return unclaimed;
        end if;
    end if;
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
    'Returns the id of the stored user of a token, or the parameter `unclaimed` for a caller who is not stored. '
    'Refuses (TX401) a token with outdated rights or with the id of another user.';
grant execute on function app.caller_id(text, timestamp with time zone, text, uuid) to taxclaims_api;

-- During a deploy the previous release still calls app.authenticate and app.unclaimed_id.
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
    'The previous release calls app.authenticate instead of app.caller_id. app.authenticate returns null for an '
    'unknown caller.';
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
    'The previous release calls app.unclaimed_id instead of app.caller_id for a caller who is not stored.';
grant execute on function app.unclaimed_id(uuid) to taxclaims_api;

-- app.record_login creates a user only if the token has a verified email. app.record_login raises TX401 if the user's
-- stored rights are newer than the token, and TX409 if the email or id belongs to another subject or if the last ADMIN
-- would lose that role.
-- app.record_login dates the user's rights one second before the token, so that the token stays valid when the user
-- creates a client.
create or replace function app.record_login(email text, name text, issued_at timestamp with time zone)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    caller constant text := app.setting('actor');
    target constant uuid := app.lock_or_create_user_of_login(record_login.email, record_login.name, record_login.issued_at);
    token_clients constant uuid[] := app.client_access();
    new_clients uuid[] := token_clients;
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
        app.access_digest(app.role(), token_clients), record_login.issued_at
    );

    -- If app.require_present_rights accepted a token with outdated rights, the token lacks only clients that the user
    -- created, so app.record_login keeps the stored rights.
    if stored.access_digest <> app.access_digest(app.role(), token_clients)
        and not app.was_issued_after(record_login.issued_at, stored.access_changed_at)
    then
        perform pg_catalog.set_config('app.user_id', target::text, true);
        return;
    end if;

    -- If the user may no longer create clients, app.record_login deletes the user's rows of app.created_clients.
    delete from app.created_clients as c
    where c.subject = caller
        and (c.client_id = any (token_clients) or app.role() not in ('ADMIN', 'ACCOUNT_MANAGER'));
    if app.role() <> 'ADMIN' or token_clients <> '{}' then
        new_clients := token_clients || array(
            select c.client_id from app.created_clients as c where c.subject = caller order by c.created_at, c.client_id
        );
    end if;

    if stored.subject is null or stored.access_digest <> app.access_digest(app.role(), new_clients) then
        update public.users as u
        set
            subject = caller,
            role = app.role(),
            client_access = new_clients,
            access_changed_at = case
                when u.access_digest <> app.access_digest(app.role(), new_clients)
                    -- A login that changes rights sets access_changed_at itself, so that the trigger of
                    -- app.date_rights_change_at_commit does not set it.
                    then greatest(
                        record_login.issued_at - interval '1 second', u.access_changed_at + interval '1 microsecond'
                    )
                else u.access_changed_at
            end
        where u.id = target;
        -- The service must send the stored rights to the identity provider if they differ from the token's rights. The
        -- service must also do so if the provider got an earlier change only after the token was issued.
        if app.access_digest(app.role(), new_clients) <> app.access_digest(app.role(), token_clients)
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
    'Stores the caller with the role and clients of the token, and with those clients that the caller created and that '
    'no token lists yet.';
grant execute on function app.record_login(text, text, timestamp with time zone) to taxclaims_client, taxclaims_admin;

-- app.gain_client adds a client to its creator's list, so that the creator's next token lists the client.
-- app.gain_client also adds the client to app.created_clients, so that a login with the current token does not remove
-- the client. app.gain_client raises TX401 if the user's rights changed since the token was issued. app.created_clients
-- also stores the digest of the token's rights, so that the service still accepts a token that does not list the new
-- client. An ADMIN without a list of clients already has access to every client.
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
    'Gives the caller access to a client that the same transaction creates.';
grant execute on function app.gain_client(uuid, timestamp with time zone, text) to taxclaims_account_manager, taxclaims_admin;
