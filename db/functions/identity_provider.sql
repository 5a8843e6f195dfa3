-- What the functions of the embedded identity provider have in common. They run as whoever calls them, which is
-- taxclaims_definer alone.

-- The user of an account, as the subject of a token names it: by the stored subject, or by the id where none is stored.
create or replace function app.account_id(account text)
    returns uuid
    language plpgsql
    stable
    set search_path = ''
as $function$
begin
    return coalesce(
        (select u.id from public.users as u where u.subject = account_id.account),
        (
            select u.id
            from public.users as u
            where account_id.account ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                and u.id = case
                    when account_id.account ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then account_id.account::uuid
                end
                and u.subject is null
        )
    );
end
$function$;

comment on function app.account_id(text) is
    'The user whom the subject of the embedded identity provider''s tokens names; null where there is none.';

grant execute on function app.account_id(text) to taxclaims_definer;

-- Holds the user of an account whose login is to count for something, until the end of the transaction: a change of the
-- password that is under way is waited for, and one that comes later finds what is kept. TX401 where the user is
-- inactive or unknown, and where all logins have ended since that second.
create or replace function app.hold_account(account text, logged_in_at bigint)
    returns uuid
    language plpgsql
    volatile
    set search_path = ''
as $function$
declare
    owner record;
begin
    select u.id, u.is_active, u.sessions_ended_at
    into owner
    from public.users as u
    where u.id = app.account_id(hold_account.account)
    for share;
    if not coalesce(owner.is_active, false) then
        raise exception 'the user is inactive or unknown' using errcode = 'TX401';
    end if;
    if coalesce(hold_account.logged_in_at, 0) <= pg_catalog.floor(extract(epoch from owner.sessions_ended_at)) then
        raise exception 'the logins of the user have ended since' using errcode = 'TX401';
    end if;
    return owner.id;
end
$function$;

comment on function app.hold_account(text, bigint) is
    'The user of an account, held until the end of the transaction; refuses (TX401) one who is inactive, and a login '
    'that has ended since.';

grant execute on function app.hold_account(text, bigint) to taxclaims_definer;

-- A digest of something typed, which says nothing without the secret; the same for an email in whatever letters.
create or replace function app.digest_of_attempt(scope text, text text)
    returns text
    language plpgsql
    stable
    set search_path = ''
as $function$
begin
    return (
        select pg_catalog.encode(
            pg_catalog.sha256(
                s.secret || pg_catalog.convert_to(digest_of_attempt.scope || ':' || digest_of_attempt.text, 'UTF8')
            ),
            'hex'
        )
        from app.identity_secret as s
    );
end
$function$;

comment on function app.digest_of_attempt(text, text) is
    'A digest of what was typed or where it came from, with the secret of the identity provider.';

grant execute on function app.digest_of_attempt(text, text) to taxclaims_definer;

-- Counts a failed attempt, or one that may yet fail; gives after how many seconds the next may be made, 0 where at once.
create or replace function app.count_attempt(scope text, key_digest text, most integer, window_length interval)
    returns integer
    language plpgsql
    volatile
    set search_path = ''
as $function$
declare
    present constant timestamp with time zone := pg_catalog.clock_timestamp();
    counted record;
begin
    insert into app.login_attempts as t (scope, key_digest, failures, since)
    values (count_attempt.scope, count_attempt.key_digest, 1, present)
    on conflict on constraint login_attempts_pkey do update
    set
        failures = case
            when t.since <= present - count_attempt.window_length then 1
            else least(t.failures, 1000000) + 1
        end,
        since = case when t.since <= present - count_attempt.window_length then present else t.since end
    returning t.failures, t.since
    into counted;
    if counted.failures <= count_attempt.most then
        return 0;
    end if;
    return greatest(
        1,
        pg_catalog.ceil(extract(epoch from counted.since + count_attempt.window_length - present))::integer
    );
end
$function$;

comment on function app.count_attempt(text, text, integer, interval) is
    'Counts an attempt to log in; gives after how many seconds the next may be made, 0 where at once.';

grant execute on function app.count_attempt(text, text, integer, interval) to taxclaims_definer;
