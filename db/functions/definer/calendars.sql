-- A user's calendar has a secret address. The database stores only the digest of the secret, and only the functions
-- of this file read the digest.

-- A null digest ends the calendar. A calendar shows what the stored rights allow, so the function refuses a token
-- with other rights.
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
    'Stores the digest of the secret address of the caller''s calendar; null ends the calendar. TX409 if no user is '
    'stored with the rights of the token.';
grant execute on function app.keep_calendar(text) to taxclaims_client, taxclaims_admin;

-- The calendar request works like a token issued at this time: after the end of any session, but otherwise as early
-- as possible. So app.caller_id refuses the request if the user's rights change between this look-up and the request.
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
    'The user whose calendar address has this digest, with the user''s rights; no row if the user has no rights.';
grant execute on function app.calendar_user(text) to taxclaims_api;
