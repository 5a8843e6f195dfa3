-- The assignee of a claim or a task must have access to the client of the claim, and a user with the role CLIENT cannot
-- be the assignee of an internal task. The assignment of a claim and the removal of a client from a user's list both
-- lock the user's row, so that the later transaction sees what the earlier one changed.

-- app.check_assignee runs after the write, so that row-level security can refuse a forbidden write before it.
create or replace function app.check_assignee()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    is_internal boolean := false;
begin
    if tg_table_name = 'notes' then
        is_internal := new.internal;
    end if;
    perform
    from public.users as u
    where u.id = new.assignee_id
        and u.is_active
        and (new.client_id = any (u.client_access) or (u.role = 'ADMIN' and u.client_access = '{}'))
        and not (is_internal and u.role = 'CLIENT')
    for share;
    if not found then
        raise exception 'the assignee is not an active user with access to the client'
            using errcode = 'check_violation', constraint = tg_table_name || '_assignee_has_client';
    end if;
    return null;
end
$function$;

comment on function app.check_assignee() is
    'Trigger of reclamations and notes that refuses (23514) an assignee who is inactive, has no access to the client '
    'or may not read the task. Locks the assignee''s row in the table users.';
grant execute on function app.check_assignee() to taxclaims_owner;

create or replace function app.assignees(client uuid)
    returns table (id uuid, name text)
    language plpgsql stable security definer rows 20 set search_path = ''
as $function$
begin
    if pg_catalog.current_setting('role') <> 'taxclaims_admin' and assignees.client <> all (app.client_access()) then
        return;
    end if;
    return query
    select u.id, u.name::text
    from public.users as u
    where u.is_active
        and (assignees.client = any (u.client_access) or (u.role = 'ADMIN' and u.client_access = '{}'))
        and exists (select from public.clients as c where c.id = assignees.client);
end
$function$;

comment on function app.assignees(uuid) is
    'Returns the active users to whom a claim of the client can be assigned; no user if the caller has no access to '
    'the client.';
grant execute on function app.assignees(uuid) to taxclaims_tax_specialist, taxclaims_admin;

create or replace function app.named_assignees(user_ids uuid[])
    returns table (id uuid, name text)
    language plpgsql stable strict security definer
    parallel restricted
    rows 20 set search_path = ''
as $function$
declare
    caller constant text := pg_catalog.current_setting('role');
    clients constant uuid[] := app.client_access();
begin
    return query
    select u.id, u.name::text
    from public.users as u
    where u.id = any (named_assignees.user_ids)
        and case
            when caller = 'taxclaims_admin' or u.id = app.user_id() then true
            when caller = 'taxclaims_client' then false
            when u.role = 'ADMIN' and u.client_access = '{}' then clients <> '{}'
            else u.client_access && clients
        end;
end
$function$;

comment on function app.named_assignees(uuid[]) is
    'Returns id and name of each given user whom the caller may see. A CLIENT sees only their own name; other callers '
    'also see the users who share a client with them. For expand=assignee.';

create or replace function app.assignee(user_id uuid)
    returns table (id uuid, name text)
    language plpgsql stable strict security definer
    parallel restricted
    rows 1 set search_path = ''
as $function$
begin
    return query select n.id, n.name from app.named_assignees(array[assignee.user_id]) as n;
end
$function$;

comment on function app.assignee(uuid) is
    'Returns the id and name of one user. The previous release calls app.assignee during a deploy.';
grant execute on function app.named_assignees(uuid[]), app.assignee(uuid) to taxclaims_client, taxclaims_admin;

create or replace function app.unassign_inaccessible_claims()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    update public.reclamations as r
    set assignee_id = null
    where r.assignee_id = new.id and r.client_id <> all (new.client_access);
    update public.notes as n
    set assignee_id = null
    where n.assignee_id = new.id
        and n.done_at is null
        and (n.client_id <> all (new.client_access) or (n.internal and new.role = 'CLIENT'));
    return null;
end
$function$;

comment on function app.unassign_inaccessible_claims() is
    'Trigger of users. A user who loses access to a client is no longer the assignee of that client''s claims and open '
    'tasks; a user who becomes a CLIENT is no longer the assignee of open internal tasks.';
grant execute on function app.unassign_inaccessible_claims() to taxclaims_owner;
