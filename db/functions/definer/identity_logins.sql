-- A login with email and password at the embedded identity provider, in two steps: the salt goes out, the hash comes
-- back. No hash leaves the database, and an address that nobody has is answered like one that somebody has.

-- Who an attempt counts for: the network of an IPv6 address, since one caller has all of it.
create or replace function app.attempt_keys(email text, address text)
    returns table (of_address text, of_account text, of_pair text, of_known text)
    language plpgsql
    stable
    security definer
    set search_path = ''
as $function$
declare
    place constant inet := app.address(attempt_keys.address);
    network constant text := coalesce(
        pg_catalog.text(
            pg_catalog.network(case when pg_catalog.family(place) = 6 then pg_catalog.set_masklen(place, 64) else place end)
        ),
        'unknown'
    );
    account constant text := pg_catalog.lower(attempt_keys.email collate "C");
begin
    return query
    select
        app.digest_of_attempt('address', network),
        app.digest_of_attempt('account', account),
        app.digest_of_attempt('pair', network || ' ' || account),
        app.digest_of_attempt('known', network || ' ' || account);
end
$function$;

comment on function app.attempt_keys(text, text) is
    'The digests under which an attempt to log in is counted, for an email and an address.';

-- Leaves the record of a login, or of one that was refused. The actor is the user of the email, or nobody: what was
-- typed may be a password, and is in no record.
create or replace function app.record_attempt(email text, address text, user_agent text, request_id text, refusal text)
    returns void
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
declare
    owner record;
begin
    select u.id, coalesce(u.subject, u.id::text) as account
    into owner
    from public.users as u
    where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(record_attempt.email collate "C");
    insert into public.audit_logs (
        request_id, user_id, actor, action, resource_type, resource_id, success, error_message, ip_address, user_agent
    )
    values (
        pg_catalog."left"(record_attempt.request_id, 100),
        owner.id,
        coalesce(owner.account, 'anonymous'),
        'identity.login',
        'users',
        owner.id,
        record_attempt.refusal is null,
        record_attempt.refusal,
        app.address(record_attempt.address),
        pg_catalog."left"(record_attempt.user_agent, 2000)
    );
end
$function$;

comment on function app.record_attempt(text, text, text, text, text) is
    'Leaves the audit record of a login at the embedded identity provider, or of why it was refused.';

-- Begins a login: counts it as failed until it succeeds, so that several at once count as several. Gives the salt of the
-- user's password, or a made-up one that is always the same for that address; or, where too many have failed, after how
-- many seconds the next may be made. Too many are 10 for an account from one address and 50 from one address in a
-- quarter of an hour, and 100 for an account in an hour: this last one does not hold where its user has logged in from
-- before, so that a stranger locks out nobody.
drop function if exists app.begin_login(text, text, text, text);

create function app.begin_login(email text, address text, user_agent text, request_id text)
    returns table (salt text, wait_seconds integer)
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
declare
    keys record;
    wait integer;
    stored text;
    made_up text;
begin
    select * into keys from app.attempt_keys(begin_login.email, begin_login.address);
    -- Always in this order, so that two logins never wait for each other.
    wait := greatest(
        app.count_attempt('address', keys.of_address, 50, interval '15 minutes'),
        case
            when exists (select from app.login_attempts as t where t.scope = 'known' and t.key_digest = keys.of_known) then 0
            else app.count_attempt('account', keys.of_account, 100, interval '1 hour')
        end,
        app.count_attempt('pair', keys.of_pair, 10, interval '15 minutes')
    );
    if wait > 0 then
        perform app.record_attempt(
            begin_login.email, begin_login.address, begin_login.user_agent, begin_login.request_id,
            'too many attempts to log in'
        );
        return query select null::text, wait;
        return;
    end if;

    select u.password_hash
    into stored
    from public.users as u
    where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(begin_login.email collate "C")
        and u.is_active
        and u.password_hash <> '!'
        -- A hash of a higher cost is worked out by nobody: it would keep all others waiting.
        and pg_catalog.substr(u.password_hash, 5, 2) <= '14';
    -- The form of a salt of bcrypt: 22 characters, of which the last says two bits.
    made_up := app.digest_of_attempt('salt', pg_catalog.lower(begin_login.email collate "C"));
    made_up := '$2b$12$'
        || pg_catalog."left"(
            pg_catalog.translate(pg_catalog.encode(pg_catalog.decode(made_up, 'hex'), 'base64'), '+=', '..'),
            21
        )
        || pg_catalog.substr('.Oeu', pg_catalog.get_byte(pg_catalog.decode(made_up, 'hex'), 31) % 4 + 1, 1);
    return query select coalesce(pg_catalog."left"(stored, 29), made_up), 0;
end
$function$;

comment on function app.begin_login(text, text, text, text) is
    'Counts an attempt to log in with an email; gives the salt to hash the password with, a made-up one where nobody has '
    'the email, or after how many seconds the next attempt may be made.';

grant execute on function app.begin_login(text, text, text, text) to taxclaims_identity_provider;

-- Ends a login with the hash of the password: gives the account and the second from which on it counts, or no row. The
-- user is held: a change of the password that is under way is waited for, and decides.
drop function if exists app.finish_login(text, text, text, text, text);

create function app.finish_login(email text, password_hash text, address text, user_agent text, request_id text)
    returns table (account text, logged_in_at bigint, now_at double precision)
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
declare
    keys record;
    owner record;
    present timestamp with time zone;
begin
    select u.id, coalesce(u.subject, u.id::text) as account, u.sessions_ended_at
    into owner
    from public.users as u
    where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(finish_login.email collate "C")
        and u.is_active
        and u.password_hash = finish_login.password_hash
        and u.password_hash <> '!'
    for share;
    if not found then
        perform app.record_attempt(
            finish_login.email, finish_login.address, finish_login.user_agent, finish_login.request_id,
            'no active user has this email and password'
        );
        return;
    end if;

    select * into keys from app.attempt_keys(finish_login.email, finish_login.address);
    present := pg_catalog.clock_timestamp();
    update app.login_attempts as t
    set failures = greatest(t.failures - 1, 0)
    where t.scope = 'address' and t.key_digest = keys.of_address;
    update app.login_attempts as t
    set failures = greatest(t.failures - 1, 0)
    where t.scope = 'account' and t.key_digest = keys.of_account;
    insert into app.login_attempts as t (scope, key_digest, failures, since)
    values ('known', keys.of_known, 0, present)
    on conflict on constraint login_attempts_pkey do update
    set since = excluded.since;
    delete from app.login_attempts as t
    where t.scope = 'pair' and t.key_digest = keys.of_pair;
    perform app.record_attempt(
        finish_login.email, finish_login.address, finish_login.user_agent, finish_login.request_id, null
    );

    -- Seconds are all that a token tells: one of the very second in which the logins before it ended would be refused.
    return query
    select
        owner.account,
        greatest(
            pg_catalog.floor(extract(epoch from present)),
            coalesce(pg_catalog.floor(extract(epoch from owner.sessions_ended_at)) + 1, 0)
        )::bigint,
        extract(epoch from present)::double precision;
end
$function$;

comment on function app.finish_login(text, text, text, text, text) is
    'Ends a login with the hash of the password: the account, the second from which on it counts and the present one; no '
    'row, and a record, where no active user has this email and password.';

grant execute on function app.finish_login(text, text, text, text, text) to taxclaims_identity_provider;
