-- app.assign_client writes nothing if the user's list already has the client to add, or does not have the client to
-- remove. An account manager may also assign a client to a user who shares no client with the account manager yet.
-- app.assign_client raises TX404 for an unknown user or client, TX412 if the user changed since the caller read the
-- user, and TX409 if an ADMIN would get an empty list, because an empty list gives an ADMIN all clients.
create or replace function app.assign_client(target uuid, client uuid, assigned boolean, versions text[])
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    unlimited constant boolean := pg_catalog.current_setting('role') = 'taxclaims_admin';
    stored record;
    remaining uuid[];
begin
    if not (unlimited or assign_client.client = any (app.client_access())) then
        raise exception 'no access to client %', assign_client.client using errcode = 'insufficient_privilege';
    end if;
    select u.role, u.client_access, u.updated_at, u.role = 'ADMIN' and u.client_access = '{}' as has_all
    into stored
    from public.users as u
    where u.id = assign_client.target
    for no key update;
    if not found then
        raise exception 'no user %', assign_client.target using errcode = 'TX404';
    end if;
    if app.role() = 'ACCOUNT_MANAGER' and stored.role not in ('TAX_SPECIALIST', 'CLIENT') then
        raise exception 'an account manager must not assign clients to a %', stored.role using errcode = 'insufficient_privilege';
    end if;
    if stored.has_all and not unlimited then
        raise exception 'only an ADMIN with all clients may change the clients of an ADMIN with all clients' using errcode = 'insufficient_privilege';
    end if;
    if app.etag(stored.updated_at) <> all (assign_client.versions) then
        raise exception 'user % was changed meanwhile', assign_client.target using errcode = 'TX412';
    end if;

    -- A user's list may contain a deleted client, which the caller may remove from the list.
    if not exists (select from public.clients as c where c.id = assign_client.client)
        and (assign_client.assigned or assign_client.client <> all (stored.client_access))
    then
        raise exception 'no client %', assign_client.client using errcode = 'TX404';
    end if;

    if assign_client.assigned then
        if stored.has_all or assign_client.client = any (stored.client_access) then
            return;
        end if;
        remaining := stored.client_access || assign_client.client;
    else
        remaining := pg_catalog.array_remove(stored.client_access, assign_client.client);
        if stored.role = 'ADMIN' and remaining = '{}' then
            raise exception 'the last client of an ADMIN cannot be removed: an empty list gives an ADMIN every client'
                using errcode = 'TX409', constraint = 'users_last_client';
        end if;
        if remaining = stored.client_access then
            return;
        end if;
    end if;
    update public.users as u
    set client_access = remaining
    where u.id = assign_client.target;
end
$function$;

comment on function app.assign_client(uuid, uuid, boolean, text[]) is
    'Adds a client to a user''s list of clients, or removes the client from the list. The caller must have access to '
    'the client. An ADMIN may change users of every role, an ACCOUNT_MANAGER only a TAX_SPECIALIST or a CLIENT. The '
    'parameter `versions` lists the accepted ETags of the user.';
grant execute on function app.assign_client(uuid, uuid, boolean, text[]) to taxclaims_account_manager, taxclaims_admin;
