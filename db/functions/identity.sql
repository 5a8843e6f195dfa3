-- What the functions of db/functions/definer/identity.sql have in common. They run as whoever calls them, which is
-- taxclaims_definer alone: nobody else reads the columns that they are about.

-- What is measured counts for five minutes, against this start of this server, and not where its clock was set back behind
-- the measurement. Whatever is not known is two minutes ahead, which is more than clocks may be off. Where nobody has ever
-- measured, as under the release before, the two clocks count as one.
create or replace function app.provider_time(moment timestamp with time zone)
    returns timestamp with time zone
    language plpgsql stable set search_path = ''
as $function$
declare
    most constant interval := interval '2 minutes';
    present constant timestamp with time zone := pg_catalog.clock_timestamp();
    ahead interval;
begin
    select
        case
            when c.measured_at between present - interval '5 minutes' and present
                and c.server_started_at = pg_catalog.pg_postmaster_start_time()
                and coalesce(c.disproved_at < present - interval '1 hour', true)
                then greatest(least(c.ahead, most), -most)
            else most
        end
    into ahead
    from app.provider_clock as c;
    return provider_time.moment + coalesce(ahead, interval '0');
end
$function$;

comment on function app.provider_time(timestamp with time zone) is
    'The latest that the identity provider''s clock can have shown at a moment of this server''s.';
grant execute on function app.provider_time(timestamp with time zone) to taxclaims_definer;

-- Not one that is from the future: it shows that the provider's clock is not known, and that the change was dated up to
-- four minutes too early. So was every change of before the first proof of that kind, however long ago.
create or replace function app.was_issued_after(issued_at timestamp with time zone, changed_at timestamp with time zone)
    returns boolean
    language plpgsql stable set search_path = ''
as $function$
begin
    return was_issued_after.issued_at > was_issued_after.changed_at
        and (
            was_issued_after.issued_at > was_issued_after.changed_at + interval '4 minutes'
            or was_issued_after.issued_at <= app.provider_time(pg_catalog.clock_timestamp()) + interval '1 second'
                and not exists (
                    select
                    from app.provider_clock as c
                    where was_issued_after.changed_at < c.disproved_since + interval '2 minutes'
                )
            or not exists (select from app.provider_clock as c)
        );
end
$function$;

comment on function app.was_issued_after(timestamp with time zone, timestamp with time zone) is
    'Whether a token was surely issued after a change of rights, by the clock of the identity provider.';
grant execute on function app.was_issued_after(timestamp with time zone, timestamp with time zone) to taxclaims_definer;

-- A revocation does not wait for the token to expire. Not one that is only behind a client that its user has created. A
-- token has whole seconds: it may be older than it says, and never younger. Whoever goes on to write holds the user's row
-- first: a change of rights that is under way would otherwise be judged as if it were not.
create or replace function app.require_present_rights(
    subject text, is_active boolean, sessions_ended_at timestamp with time zone, stored_digest text,
    changed_at timestamp with time zone, token_digest text, issued_at timestamp with time zone
)
    returns void
    language plpgsql stable set search_path = ''
as $function$
begin
    if not is_active then
        raise exception 'the user is inactive' using errcode = 'TX401';
    end if;
    if issued_at <= sessions_ended_at + interval '4 minutes'
        and not app.was_issued_after(issued_at, sessions_ended_at)
    then
        raise exception 'the session of the token was ended' using errcode = 'TX401';
    end if;
    if stored_digest <> token_digest and not app.was_issued_after(issued_at, changed_at) then
        -- What was stored until its user created a client is less than what is stored now, and never more.
        if not exists (
            select
            from app.created_clients as c
            where c.subject = require_present_rights.subject
                and c.stored_digest = require_present_rights.stored_digest
                and c.token_digest = require_present_rights.token_digest
        ) then
            raise exception 'the rights were changed after the token was issued' using errcode = 'TX401';
        end if;
    end if;
end
$function$;

comment on function app.require_present_rights(text, boolean, timestamp with time zone, text, timestamp with time zone, text, timestamp with time zone) is
    'Refuses (TX401) a user who is inactive, a token of a session that was ended, and one with other rights than the '
    'stored ones that was issued before these changed.';
grant execute on function app.require_present_rights(text, boolean, timestamp with time zone, text, timestamp with time zone, text, timestamp with time zone) to taxclaims_definer;

-- Whoever waited for another's change looks again at what that one has left. Without a verified email nobody is found or
-- made by another, so that a stranger takes over no user, learns of none and is in nobody's way. TX409 when the email or
-- the id belongs to another subject; 40001 when others are always faster.
create or replace function app.hold_login(email text, name text, issued_at timestamp with time zone)
    returns uuid
    language plpgsql volatile set search_path = ''
as $function$
declare
    caller constant text := app.setting('actor');
    stored record;
begin
    for attempt in 1..5 loop
        select u.id, u.subject
        into stored
        from public.users as u
        where u.subject = caller
        for no key update;
        if found then
            return stored.id;
        end if;
        if hold_login.email is null then
            return null;
        end if;

        select u.id, u.subject
        into stored
        from public.users as u
        where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(hold_login.email collate "C")
        for no key update;
        if found then
            if stored.subject <> caller then
                raise exception 'the email belongs to another user'
                    using errcode = 'TX409', constraint = 'users_email_key';
            end if;
            return stored.id;
        end if;

        insert into public.users as u (id, email, password_hash, name, role, client_access, subject, access_changed_at)
        values (
            app.user_id(), hold_login.email, '!', coalesce(hold_login.name, hold_login.email),
            app.role(), app.client_access(), caller, hold_login.issued_at - interval '1 second'
        )
        on conflict do nothing
        returning u.id, u.subject
        into stored;
        if found then
            return stored.id;
        end if;
        if exists (select from public.users as u where u.id = app.user_id() and u.subject is distinct from caller) then
            raise exception 'the id of the subject belongs to another user'
                using errcode = 'TX409', constraint = 'users_pkey';
        end if;
    end loop;
    raise exception 'others changed the same user again and again' using errcode = 'serialization_failure';
end
$function$;

comment on function app.hold_login(text, text, timestamp with time zone) is
    'The user whom a login is about, found by subject or by verified email, or made; the row is held until the '
    'commit. Null where nobody is found and the token brings no verified email.';
grant execute on function app.hold_login(text, text, timestamp with time zone) to taxclaims_definer;
