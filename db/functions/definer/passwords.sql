-- Password hashes never leave the database. The API gets the salt, hashes the entered password, and asks the database
-- whether the hash is right.

-- app.begin_password_change counts an attempt in a transaction of its own, before the service checks the password.
-- app.begin_password_change locks the user's row, so that parallel attempts are counted too.
create or replace function app.begin_password_change(out salt text, out email text, out retry_after integer)
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    most constant integer := 10;
    period constant interval := '1 hour';
    stored record;
    moment timestamp with time zone;
    recent timestamp with time zone[];
begin
    select u.id, u.email, u.password_hash
    into stored
    from public.users as u
    where u.id = app.user_id()
    for no key update;
    if not found or stored.password_hash = '!' then
        raise exception 'the database has no password of the caller'
            using errcode = 'TX409', constraint = 'users_without_password';
    end if;

    moment := pg_catalog.clock_timestamp();
    recent := array(
        select a.attempted_at
        from app.password_attempts as p
        cross join lateral pg_catalog.unnest(p.attempted_at) as a (attempted_at)
        where p.user_id = stored.id and a.attempted_at > moment - period
        order by a.attempted_at
    );
    if pg_catalog.cardinality(recent) >= most then
        retry_after := pg_catalog.ceil(extract(epoch from recent[1] + period - moment));
        return;
    end if;
    insert into app.password_attempts as p (user_id, attempted_at)
    values (stored.id, recent || moment)
    on conflict (user_id) do update
    set attempted_at = excluded.attempted_at;

    salt := pg_catalog."left"(stored.password_hash, 29);
    email := stored.email;
end
$function$;

comment on function app.begin_password_change() is
    'Counts an attempt to change the caller''s password. Returns the password''s salt and the caller''s email, or '
    'after ten attempts in an hour the seconds to wait. Raises TX409 if the database has no password of the caller.';
grant execute on function app.begin_password_change() to taxclaims_client, taxclaims_admin;

-- app.change_password locks the user's row, so that only one of two parallel changes of a password succeeds.
create or replace function app.change_password(present_hash text, new_hash text)
    returns boolean
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    stored record;
begin
    select u.id, u.is_active, u.password_hash
    into stored
    from public.users as u
    where u.id = app.user_id()
    for no key update;
    if not found or not stored.is_active then
        raise exception 'the user is inactive' using errcode = 'TX401';
    end if;
    if stored.password_hash = '!' or stored.password_hash <> change_password.present_hash then
        return false;
    end if;
    update public.users as u
    set password_hash = change_password.new_hash
    where u.id = stored.id;
    return true;
end
$function$;

comment on function app.change_password(text, text) is
    'Stores the new password hash and returns true if present_hash is the stored hash; otherwise returns false.';
grant execute on function app.change_password(text, text) to taxclaims_client, taxclaims_admin;

-- The trigger of app.end_sessions_at_commit is deferred, so that tokens issued while the change waits for a lock also
-- end. A user whose account becomes active again must log in again.
create or replace function app.end_sessions_at_commit()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update public.users as u
    set sessions_ended_at = greatest(app.provider_time(pg_catalog.clock_timestamp()), u.sessions_ended_at)
    where u.id = new.id;
    delete from app.password_attempts as p
    where p.user_id = new.id and new.password_hash <> old.password_hash;
    return null;
end
$function$;

comment on function app.end_sessions_at_commit() is
    'Trigger of users: after a new password or the deactivation of an account, the API refuses tokens that the user '
    'got before.';
grant execute on function app.end_sessions_at_commit() to taxclaims_owner;
