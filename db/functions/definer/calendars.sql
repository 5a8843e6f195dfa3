-- A user's calendar has a secret address. The database stores only a digest of the address's secret, and only the
-- functions of this file read this digest.

-- A calendar shows what the user's stored rights allow, so app.keep_calendar refuses a token with any other rights.
create or replace function app.keep_calendar(digest text)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update public.users as u
    set calendar_digest = keep_calendar.digest
    where u.id = app.user_id()
        and u.is_active
        and u.calendar_digest is distinct from keep_calendar.digest
        and (
            keep_calendar.digest is null
            or u.access_digest = app.access_digest(app.role(), app.client_access())
        );
    if not found and keep_calendar.digest is not null then
        raise exception 'no user is stored with the rights of the token'
            using errcode = 'TX409', constraint = 'users_without_calendar';
    end if;
end
$function$;

comment on function app.keep_calendar(text) is
    'Stores the digest of the secret address of the caller''s calendar; null removes the address. Raises TX409 if no '
    'user is stored with the rights of the token.';
grant execute on function app.keep_calendar(text) to taxclaims_client, taxclaims_admin;

-- The API treats a calendar request like a request with a token issued just after the user's sessions_ended_at.
-- app.caller_id therefore refuses the request if the user's rights change after app.calendar_user read them.
create or replace function app.calendar_user(digest text)
    returns table (
        subject text, user_id uuid, role text, client_access uuid[], access_digest text, issued_at double precision
    )
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return query
    select
        coalesce(u.subject, u.id::text), u.id, u.role::text, u.client_access, u.access_digest,
        coalesce(extract(epoch from u.sessions_ended_at) + 241, 0)::double precision
    from public.users as u
    where u.calendar_digest = calendar_user.digest
        and u.is_active
        and (u.role = 'ADMIN' or u.client_access <> '{}');
end
$function$;

comment on function app.calendar_user(text) is
    'Returns the user whose calendar address has the given digest, with the user''s rights; no row if the user is '
    'inactive or has access to no client.';
grant execute on function app.calendar_user(text) to taxclaims_api;
