-- Which active users see something of a client, for audit.who_can_see: an auditor reads no user but these.
create or replace function app.users_who_see(client uuid)
    returns table (email text, role text, reason text)
    language sql
    stable
    security definer
    set search_path = ''
begin atomic
    select
        u.email,
        u.role,
        case
            when client = any (u.client_access) then 'client_access lists the client'
            else 'an ADMIN whose client_access is empty sees every client'
        end
    from public.users as u
    where u.is_active
        and (client = any (u.client_access) or (u.role = 'ADMIN' and u.client_access = '{}'));
end;

comment on function app.users_who_see(uuid) is 'The active users who see a client, and why; for audit.who_can_see.';

revoke execute on function app.users_who_see(uuid) from public;
grant execute on function app.users_who_see(uuid) to taxclaims_auditor;
