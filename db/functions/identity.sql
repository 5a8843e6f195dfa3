-- The functions of db/functions/definer call the functions of this file as taxclaims_definer, because only that role
-- may read columns such as users.subject.

-- app.provider_time uses a measurement of the identity provider's clock for at most five minutes, and not after the
-- Postgres server restarted or its clock was set back. Without a usable measurement app.provider_time assumes that the
-- provider's clock is two minutes ahead. If no instance of the service ever measured the provider's clock,
-- app.provider_time assumes no difference between the clocks.
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
    'Returns the latest time that the identity provider''s clock can show when the database server''s clock shows the '
    'given time.';
grant execute on function app.provider_time(timestamp with time zone) to taxclaims_definer;

-- A token with a date in the future proves that the measurement of the provider's clock was wrong, and that changes of
-- rights may be dated up to four minutes too early. For a change dated before app.provider_clock.disproved_since,
-- app.was_issued_after accepts only a token issued over four minutes after the change.
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
    'True if a token was certainly issued after a change of rights, by the identity provider''s clock.';
grant execute on function app.was_issued_after(timestamp with time zone, timestamp with time zone) to taxclaims_definer;

-- app.require_present_rights refuses a token with outdated rights, unless the token lacks only a client that its user
-- created. Tokens are dated in whole seconds, so a token may be issued up to a second after its date. Callers that
-- write must lock the user's row before the call, so that app.require_present_rights sees a concurrent change.
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
        -- A row of app.created_clients proves that a token had the stored rights before its user created a client.
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
    'Refuses (TX401) inactive users, tokens of ended sessions, and tokens with outdated rights that were issued before '
    'the last change of rights.';
grant execute on function app.require_present_rights(text, boolean, timestamp with time zone, text, timestamp with time zone, text, timestamp with time zone) to taxclaims_definer;

-- The database keeps a digest of an erased user's subject, so that a later token of that user does not create the user
-- again.
create or replace function app.erased_subject(subject text)
    returns text
    language sql immutable
return 'erased:' || pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(subject, 'UTF8')), 'hex');

comment on function app.erased_subject(text) is 'Returns the digest that replaces the subject of an erased user.';
grant execute on function app.erased_subject(text) to taxclaims_definer;

create or replace function app.refuse_erased(subject text)
    returns void
    language plpgsql stable set search_path = ''
as $function$
begin
    if exists (select from public.users as u where u.subject = app.erased_subject(refuse_erased.subject)) then
        raise exception 'the user was erased' using errcode = 'TX401';
    end if;
end
$function$;

comment on function app.refuse_erased(text) is 'Refuses (TX401) the subject of an erased user.';
grant execute on function app.refuse_erased(text) to taxclaims_definer;

-- If a concurrent transaction stores the user first, app.lock_or_create_user_of_login searches the user again. Without
-- a verified email, app.lock_or_create_user_of_login neither finds a user by email nor creates a user, so that a
-- stranger cannot take over, discover or block a user. app.lock_or_create_user_of_login raises TX409 if the email or id
-- belongs to another subject, and 40001 after five failed tries.
create or replace function app.lock_or_create_user_of_login(email text, name text, issued_at timestamp with time zone)
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
        -- A concurrent transaction may have erased the user and replaced the subject.
        perform app.refuse_erased(caller);
        if lock_or_create_user_of_login.email is null then
            return null;
        end if;

        select u.id, u.subject
        into stored
        from public.users as u
        where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(lock_or_create_user_of_login.email collate "C")
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
            app.user_id(), lock_or_create_user_of_login.email, '!', coalesce(lock_or_create_user_of_login.name, lock_or_create_user_of_login.email),
            app.role(), app.client_access(), caller, lock_or_create_user_of_login.issued_at - interval '1 second'
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
    raise exception 'other transactions changed the same user five times' using errcode = 'serialization_failure';
end
$function$;

comment on function app.lock_or_create_user_of_login(text, text, timestamp with time zone) is
    'Finds the user of a login by subject or verified email, or creates the user, and locks the user''s row. Returns '
    'null for an unknown caller without a verified email.';
grant execute on function app.lock_or_create_user_of_login(text, text, timestamp with time zone) to taxclaims_definer;

-- A row that names the caller, such as an audit record or a stored response, is either committed before the erasure of
-- the caller, which then removes the caller from it, or it is refused.
create or replace function app.hold_caller(subject text, user_id uuid)
    returns uuid
    language plpgsql volatile set search_path = ''
as $function$
declare
    stored record;
begin
    select u.id, u.erased_at
    into stored
    from public.users as u
    where u.id = hold_caller.user_id
    for key share;
    if stored.erased_at is not null or (stored.id is null and hold_caller.subject is not null) then
        perform app.refuse_erased(hold_caller.subject);
    end if;
    return stored.id;
end
$function$;

comment on function app.hold_caller(text, uuid) is
    'Returns the id of the stored user who makes a request, null if the user is not stored, and delays the erasure of '
    'the user until the commit. Refuses (TX401) a user who was erased since the request began.';
grant execute on function app.hold_caller(text, uuid) to taxclaims_definer;
