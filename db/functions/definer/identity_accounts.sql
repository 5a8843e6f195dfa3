-- The users as the embedded identity provider knows them: whom its tokens are about, and its management interface.

-- What tokens and the management interface say of a user; no row where the account is nobody's.
drop function if exists app.identity_account(text);

create function app.identity_account(subject text)
    returns table (
        account text,
        email text,
        name text,
        role text,
        client_access text,
        is_active boolean,
        created_at timestamp with time zone,
        updated_at timestamp with time zone
    )
    language plpgsql
    stable
    security definer
    set search_path = ''
as $function$
#variable_conflict use_column
begin
    return query
    select
        coalesce(u.subject, u.id::text),
        u.email::text,
        u.name::text,
        u.role,
        pg_catalog.array_to_string(u.client_access, ','),
        u.is_active,
        u.created_at,
        u.updated_at
    from public.users as u
    where u.id = app.account_id(identity_account.subject);
end
$function$;

comment on function app.identity_account(text) is
    'What the tokens of the embedded identity provider say of an account, and whether it is active; no row where it is '
    'nobody''s.';

grant execute on function app.identity_account(text) to taxclaims_identity_provider;

-- The same for a token that is about to be signed, of a login of that second: TX401 where the login has ended since. The
-- user is held, so that whatever ends it later is dated after the token.
drop function if exists app.identity_claims(text, bigint);

create function app.identity_claims(subject text, logged_in_at bigint)
    returns table (
        account text,
        email text,
        name text,
        role text,
        client_access text,
        is_active boolean,
        created_at timestamp with time zone,
        updated_at timestamp with time zone
    )
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
#variable_conflict use_column
begin
    perform app.hold_account(identity_claims.subject, identity_claims.logged_in_at);
    return query
    select a.account, a.email, a.name, a.role, a.client_access, a.is_active, a.created_at, a.updated_at
    from app.identity_account(identity_claims.subject) as a;
end
$function$;

comment on function app.identity_claims(text, bigint) is
    'What a token of the embedded identity provider says of an account; refuses (TX401) one of a login that has ended.';

grant execute on function app.identity_claims(text, bigint) to taxclaims_identity_provider;

-- Changes what the management interface says of a user; null leaves a thing as it is, and nothing is written where all
-- is so already. False where the account is nobody's.
create or replace function app.change_identity_account(
    account text,
    role text,
    client_access uuid[],
    is_active boolean,
    address text,
    request_id text
)
    returns boolean
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
declare
    target uuid;
begin
    select u.id
    into target
    from public.users as u
    where u.id = app.account_id(change_identity_account.account)
    for no key update;
    if not found then
        return false;
    end if;
    -- For the record of the change, and the policy that lets it: nothing that the session says of itself counts.
    perform pg_catalog.set_config('app.user_id', '', true);
    perform pg_catalog.set_config('app.user_agent', '', true);
    perform pg_catalog.set_config('app.actor', 'identity-provider', true);
    perform pg_catalog.set_config('app.action', 'identity.change', true);
    perform pg_catalog.set_config('app.ip_address', coalesce(change_identity_account.address, ''), true);
    perform pg_catalog.set_config('app.request_id', coalesce(change_identity_account.request_id, ''), true);
    update public.users as u
    set
        role = coalesce(change_identity_account.role, u.role),
        client_access = coalesce(change_identity_account.client_access, u.client_access),
        is_active = coalesce(change_identity_account.is_active, u.is_active)
    where u.id = target
        and (
            u.role <> coalesce(change_identity_account.role, u.role)
            or u.client_access <> coalesce(change_identity_account.client_access, u.client_access)
            or u.is_active <> coalesce(change_identity_account.is_active, u.is_active)
        );
    return true;
end
$function$;

comment on function app.change_identity_account(text, text, uuid[], boolean, text, text) is
    'Changes role, clients and activity of a user as the management interface of the embedded identity provider is told; '
    'null leaves a thing as it is. False where the account is nobody''s.';

grant execute on function app.change_identity_account(text, text, uuid[], boolean, text, text) to taxclaims_identity_provider;
