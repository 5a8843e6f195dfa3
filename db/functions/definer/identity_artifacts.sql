-- What the embedded identity provider keeps: sessions, grants, tokens, requests under way. For its role alone, which has
-- no right to a table. Every id comes as a digest.

-- Keeps a thing under its id, in place of what was there. What belongs to an account says when its user logged in, in
-- seconds since the epoch: TX401 where all logins of that user have ended since. The user is held meanwhile, so that a
-- change of the password that is under way finds the row, or is found.
create or replace function app.keep_artifact(
    kind text,
    id_digest text,
    payload jsonb,
    account text,
    logged_in_at bigint,
    grant_id text,
    uid text,
    expires_in integer
)
    returns void
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
begin
    if keep_artifact.account is not null then
        perform app.hold_account(keep_artifact.account, keep_artifact.logged_in_at);
    end if;
    insert into app.identity_artifacts as a (kind, id_digest, payload, account, grant_id, uid, expires_at)
    values (
        keep_artifact.kind,
        keep_artifact.id_digest,
        keep_artifact.payload,
        keep_artifact.account,
        keep_artifact.grant_id,
        keep_artifact.uid,
        pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => keep_artifact.expires_in)
    )
    on conflict on constraint identity_artifacts_pkey do update
    set
        payload = excluded.payload,
        account = excluded.account,
        grant_id = excluded.grant_id,
        uid = excluded.uid,
        expires_at = excluded.expires_at;
end
$function$;

comment on function app.keep_artifact(text, text, jsonb, text, bigint, text, text, integer) is
    'Keeps what the identity provider gives out, under the digest of its id; refuses (TX401) what comes of a login that '
    'has ended since.';

grant execute on function app.keep_artifact(text, text, jsonb, text, bigint, text, text, integer) to taxclaims_identity_provider;

-- What is kept under an id; no row where there is none, or its time is over.
drop function if exists app.artifact(text, text);

create function app.artifact(kind text, id_digest text)
    returns table (payload jsonb, consumed boolean)
    language plpgsql
    stable
    security definer
    set search_path = ''
as $function$
begin
    return query
    select a.payload, a.consumed_at is not null
    from app.identity_artifacts as a
    where a.kind = artifact.kind
        and a.id_digest = artifact.id_digest
        and a.expires_at > pg_catalog.clock_timestamp();
end
$function$;

comment on function app.artifact(text, text) is
    'What the identity provider keeps under the digest of an id, and whether it was used; no row where its time is over.';

grant execute on function app.artifact(text, text) to taxclaims_identity_provider;

-- A session by the name that tokens have for it; null where there is none, or its time is over.
create or replace function app.session_artifact(uid text)
    returns jsonb
    language plpgsql
    stable
    security definer
    set search_path = ''
as $function$
begin
    return (
        select a.payload
        from app.identity_artifacts as a
        where a.uid = session_artifact.uid
            and a.kind = 'Session'
            and a.expires_at > pg_catalog.clock_timestamp()
        order by a.expires_at desc
        limit 1
    );
end
$function$;

comment on function app.session_artifact(text) is
    'A session of the identity provider by the name that tokens have for it; null where there is none.';

grant execute on function app.session_artifact(text) to taxclaims_identity_provider;

-- Marks what may be used once; false where somebody has used it before, or at the same time.
create or replace function app.consume_artifact(kind text, id_digest text)
    returns boolean
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
begin
    update app.identity_artifacts as a
    set consumed_at = pg_catalog.clock_timestamp()
    where a.kind = consume_artifact.kind
        and a.id_digest = consume_artifact.id_digest
        and a.consumed_at is null;
    return found;
end
$function$;

comment on function app.consume_artifact(text, text) is
    'Marks what may be used once as used; false for all but the first who does.';

grant execute on function app.consume_artifact(text, text) to taxclaims_identity_provider;

create or replace function app.forget_artifact(kind text, id_digest text)
    returns void
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
begin
    delete from app.identity_artifacts as a
    where a.kind = forget_artifact.kind and a.id_digest = forget_artifact.id_digest;
end
$function$;

comment on function app.forget_artifact(text, text) is 'Removes what the identity provider keeps under an id.';

grant execute on function app.forget_artifact(text, text) to taxclaims_identity_provider;

-- All that belongs to a grant, as after a logout or when a token comes a second time. Rows are held in one order by
-- whoever removes several, or two at once would wait for each other.
create or replace function app.forget_grant(grant_id text)
    returns void
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
begin
    delete from app.identity_artifacts as a
    using (
        select g.kind, g.id_digest
        from app.identity_artifacts as g
        where g.grant_id = forget_grant.grant_id
        order by g.kind, g.id_digest
        for update
    ) as held
    where a.kind = held.kind and a.id_digest = held.id_digest;
end
$function$;

comment on function app.forget_grant(text) is 'Removes all that the identity provider gave out under a grant.';

grant execute on function app.forget_grant(text) to taxclaims_identity_provider;

-- What is of no use any more, at most so many of each kind: things whose time is over, and counts of attempts that
-- nobody asks for. Gives how many went.
create or replace function app.forget_artifacts(most integer)
    returns integer
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
declare
    expired integer;
    counted integer;
begin
    delete from app.identity_artifacts as a
    using (
        select e.kind, e.id_digest
        from app.identity_artifacts as e
        where e.expires_at < pg_catalog.now()
        order by e.expires_at
        limit forget_artifacts.most
        for update skip locked
    ) as old
    where a.kind = old.kind and a.id_digest = old.id_digest;
    get diagnostics expired = row_count;
    delete from app.login_attempts as t
    using (
        select e.scope, e.key_digest
        from app.login_attempts as e
        where e.since < pg_catalog.now() - interval '2 hours'
            and (e.scope <> 'known' or e.since < pg_catalog.now() - interval '90 days')
        order by e.since
        limit forget_artifacts.most
        for update skip locked
    ) as old
    where t.scope = old.scope and t.key_digest = old.key_digest;
    get diagnostics counted = row_count;
    return greatest(expired, counted);
end
$function$;

comment on function app.forget_artifacts(integer) is
    'Removes what the identity provider kept and whose time is over, at most so many of each kind; gives how many of '
    'which most went.';

grant execute on function app.forget_artifacts(integer) to taxclaims_identity_provider;
