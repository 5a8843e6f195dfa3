-- npm run identity:sync calls the functions of this file to compare all users with the identity provider.

-- taxclaims_api may not call app.users_of_provider, because the API needs a user's subject only together with a change
-- to send.
create or replace function app.users_of_provider(after uuid, most integer)
    returns table (
        user_id uuid,
        email text,
        subject text,
        role text,
        client_access uuid[],
        is_active boolean,
        is_undelivered boolean
    )
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return query
    select
        u.id,
        u.email::text,
        u.subject, u.role, u.client_access, u.is_active,
        exists (select from public.identity_changes as c where c.user_id = u.id and c.delivered_at is null)
    from public.users as u
    where u.subject is not null and u.erased_at is null and (users_of_provider.after is null or u.id > users_of_provider.after)
    order by u.id
    limit users_of_provider.most;
end
$function$;

comment on function app.users_of_provider(uuid, integer) is
    'Returns, in the order of ids, the users whom the identity provider knows, with their stored rights.';

grant execute on function app.users_of_provider(uuid, integer) to taxclaims_owner;

create or replace function app.send_identity(target uuid)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    perform
    from public.users as u
    where u.id = send_identity.target
    for no key update;
    perform app.note_identity_change(send_identity.target, true);
end
$function$;

comment on function app.send_identity(uuid) is
    'Makes the service send a user''s present rights to the identity provider, although the rights did not change.';
grant execute on function app.send_identity(uuid) to taxclaims_api;
