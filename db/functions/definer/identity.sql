-- Who the caller is, by the identity provider's subject. The only code that reads or writes the columns
-- subject, access_changed_at and access_digest.

-- The stored user behind a token; null when none is stored. Refuses (TX401) a user who was made inactive, and a
-- token that says other rights than the stored ones and was issued before these were last changed: a revocation
-- does not wait for the token to expire.
create or replace function app.authenticate(subject text, issued_at timestamp with time zone, access_digest text)
    returns uuid
    language plpgsql
    stable
    security definer
    set search_path = ''
as $function$
declare
    known record;
begin
    select u.id, u.is_active, u.access_digest, u.access_changed_at
    into known
    from public.users as u
    where u.subject = authenticate.subject;
    if not found then
        return null;
    end if;
    if not known.is_active then
        raise exception 'the user is inactive' using errcode = 'TX401';
    end if;
    if known.access_digest <> authenticate.access_digest and authenticate.issued_at <= known.access_changed_at then
        raise exception 'the rights were changed after the token was issued' using errcode = 'TX401';
    end if;
    return known.id;
end
$function$;

revoke execute on function app.authenticate(text, timestamp with time zone, text) from public;
grant execute on function app.authenticate(text, timestamp with time zone, text) to taxclaims_api;

-- The rights of a login date from the second before its token: older tokens that say otherwise are refused, the
-- token itself is not when its user's own request adds a client later.
-- Records the caller of this transaction, found by subject, then by an email that nobody has claimed yet, with
-- the role and the clients of the token; gives the public user as JSON. TX409 when the email belongs to another
-- subject, TX401 when the user waiting under the email is inactive or was given other rights since.
create or replace function app.record_login(email text, name text, issued_at timestamp with time zone)
    returns json
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
declare
    caller constant text := app.setting('actor');
    digest constant text := app.access_digest(app.role(), app.client_access());
    stored record;
begin
    insert into public.users as u (id, email, password_hash, name, role, client_access, subject, access_changed_at)
    select
        app.user_id(), record_login.email, '!', coalesce(record_login.name, record_login.email),
        app.role(), app.client_access(), caller, record_login.issued_at - interval '1 second'
    where not exists (
        select
        from public.users as k
        where k.subject = caller or pg_catalog.lower(k.email) = pg_catalog.lower(record_login.email)
    )
    on conflict do nothing;

    select u.id, u.subject, u.is_active, u.access_digest, u.access_changed_at
    into stored
    from public.users as u
    where u.subject = caller
    for update;
    if not found then
        select u.id, u.subject, u.is_active, u.access_digest, u.access_changed_at
        into stored
        from public.users as u
        where pg_catalog.lower(u.email) = pg_catalog.lower(record_login.email)
        for update;
        if stored.subject is not null then
            raise exception 'the email belongs to another user' using errcode = 'TX409';
        end if;
        if not stored.is_active or (
            stored.access_digest <> digest and record_login.issued_at <= stored.access_changed_at
        ) then
            raise exception 'the user waiting under this email has other rights' using errcode = 'TX401';
        end if;
    end if;

    if stored.subject is null or stored.access_digest <> digest then
        update public.users as u
        set
            subject = caller,
            role = app.role(),
            client_access = app.client_access(),
            access_changed_at = case
                when stored.access_digest <> digest
                    then greatest(record_login.issued_at - interval '1 second', stored.access_changed_at)
                else stored.access_changed_at
            end
        where u.id = stored.id;
    end if;

    return (
        select
            pg_catalog.json_build_object(
                'id', u.id,
                'email', u.email,
                'name', u.name,
                'role', u.role,
                'client_access', u.client_access,
                'created_at', u.created_at,
                'updated_at', u.updated_at
            )
        from public.users as u
        where u.id = stored.id
    );
end
$function$;

revoke execute on function app.record_login(text, text, timestamp with time zone) from public;
grant execute on function app.record_login(text, text, timestamp with time zone) to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager,
    taxclaims_tax_specialist,
    taxclaims_client;

-- Adds a client to the stored list of the user who has just created it, so that the next token can say it.
-- An ADMIN without a list has every client already, and a list would take the others away.
create or replace function app.gain_client(client uuid)
    returns void
    language sql
    volatile
    security definer
    set search_path = ''
begin atomic
    update public.users as u
    set client_access = u.client_access || gain_client.client
    where u.id = app.user_id()
        and u.subject = app.setting('actor')
        and (u.role <> 'ADMIN' or u.client_access <> '{}')
        and not gain_client.client = any (u.client_access)
        and gain_client.client = any (app.client_access());
end;

revoke execute on function app.gain_client(uuid) from public;
grant execute on function app.gain_client(uuid) to
    taxclaims_admin,
    taxclaims_scoped_admin,
    taxclaims_account_manager;
