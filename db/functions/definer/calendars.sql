-- The secret address of a user's calendar. The database has its digest alone, and nobody but these functions reads it.

-- Null ends the calendar. One is made only under the rights that are stored: it is read under these, and a token may say
-- fewer.
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
    'Gives the caller''s calendar a secret address, by its digest, or with null ends it. TX409 if no user is stored '
    'with the rights of the token.';
grant execute on function app.keep_calendar(text) to taxclaims_client, taxclaims_admin;

-- issued_at is later than the end of any session, and otherwise as early as can be: app.caller_id then refuses rights that
-- change between this look and the request.
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
    'The user whose calendar has an address with this digest, and the rights to read it with; none without rights.';
grant execute on function app.calendar_user(text) to taxclaims_api;
