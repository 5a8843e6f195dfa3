-- Whoever a claim is assigned to has its client. Whichever of an assignment and a loss of the client is written first, the
-- other waits for the user's row and then sees it.

-- Refuses (23514, reclamations_assignee_has_client) to assign a claim to anybody but an active user who has its client; an
-- ADMIN without a list has every client. After the row, so that the policies are asked first.
create or replace function app.check_assignee()
    returns trigger
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
begin
    perform
    from public.users as u
    where u.id = new.assignee_id
        and u.is_active
        and (new.client_id = any (u.client_access) or (u.role = 'ADMIN' and u.client_access = '{}'))
    for share;
    if not found then
        raise exception 'the assignee is no active user who has the client'
            using errcode = 'check_violation', constraint = 'reclamations_assignee_has_client';
    end if;
    return null;
end
$function$;

comment on function app.check_assignee() is
    'Trigger of reclamations: refuses (23514) an assignee who is inactive or lacks the client, and holds the user''s row.';

revoke execute on function app.check_assignee() from public;
grant execute on function app.check_assignee() to taxclaims_owner;

-- Whoever loses a client loses its claims with it, whoever takes it away and by whatever way.
create or replace function app.release_claims()
    returns trigger
    language plpgsql
    volatile
    security definer
    set search_path = ''
as $function$
begin
    update public.reclamations as r
    set assignee_id = null
    where r.assignee_id = new.id and r.client_id <> all (new.client_access);
    return null;
end
$function$;

comment on function app.release_claims() is
    'Trigger of users: the claims of a client that a user has no more are assigned to nobody.';

revoke execute on function app.release_claims() from public;
grant execute on function app.release_claims() to taxclaims_owner;
