-- app.users_who_see is in PL/pgSQL, because Postgres stores an SQL function as a parsed query, which would change if
-- the table users lost a column.
create or replace function app.users_who_see(client uuid)
    returns table (email text, role text, has_clients boolean, reason text)
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return query
    select
        u.email::text,
        u.role,
        u.client_access <> '{}',
        case
            when users_who_see.client = any (u.client_access) then 'client_access lists the client'
            else 'an ADMIN whose client_access is empty sees every client'
        end
    from public.users as u
    where u.is_active
        and (users_who_see.client = any (u.client_access) or (u.role = 'ADMIN' and u.client_access = '{}'));
end
$function$;

comment on function app.users_who_see(uuid) is
    'Returns the active users who can see a client, each with the reason. For audit.who_can_see.';
grant execute on function app.users_who_see(uuid) to taxclaims_auditor;

-- A request may have been refused before its user was stored, so app.email_of also looks for the user by subject.
create or replace function app.email_of(user_id uuid, subject text)
    returns text
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return coalesce(
        (select u.email from public.users as u where u.id = email_of.user_id),
        (select u.email from public.users as u where u.subject = email_of.subject)
    );
end
$function$;

grant execute on function app.email_of(uuid, text) to taxclaims_auditor;

comment on function app.email_of(uuid, text) is
    'Returns the email of a caller; null if the caller is not stored. The views audit.denials and audit.changes call '
    'app.email_of.';
