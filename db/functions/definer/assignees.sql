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

-- A trigger of the previous release.
drop function if exists app.unassign_inaccessible_claims();

-- Until app.unassign_lost_client has run, queries read a claim of a lost client as unassigned. If the user gets the
-- client back before, the claims that nobody else took meanwhile stay assigned to the user.
create or replace function app.note_lost_clients()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    had_every_client constant boolean := old.role = 'ADMIN' and old.client_access = '{}';
    has_every_client constant boolean := new.role = 'ADMIN' and new.client_access = '{}';
begin
    delete from app.lost_clients as l
    where l.user_id = new.id and (has_every_client or l.client_id = any (new.client_access));
    if not has_every_client then
        insert into app.lost_clients (user_id, client_id)
        select new.id, lost.id
        from (
            select pg_catalog.unnest(old.client_access) as id
            union
            select c.id from public.clients as c where had_every_client
        ) as lost
        where lost.id <> all (new.client_access)
            and (
                exists (select from public.reclamations as r where r.client_id = lost.id and r.assignee_id = new.id)
                or exists (
                    select from public.notes as n where n.client_id = lost.id and n.assignee_id = new.id and n.done_at is null
                )
            )
        on conflict do nothing;
    end if;
    if new.role = 'CLIENT' and old.role <> 'CLIENT' then
        update public.notes as n
        set assignee_id = null
        where n.assignee_id = new.id and n.done_at is null and n.internal;
    end if;
    return null;
end
$function$;

comment on function app.note_lost_clients() is
    'Trigger of users that stores which clients with assigned claims or open tasks a user lost, so that '
    'app.unassign_lost_client removes the user from these claims and tasks. Removes a user who becomes a CLIENT from '
    'open internal tasks.';
grant execute on function app.note_lost_clients() to taxclaims_owner;

-- app.unassign_lost_client is a trigger, because only within a trigger may taxclaims_definer remove an assignee without
-- an audit record of each claim: the audit log has the change of the user's rights.
create or replace function app.unassign_lost_client()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    most constant integer := 1000;
    claims bigint;
    tasks bigint;
begin
    -- skip locked, because a request that changes many claims locks them in another order.
    update public.reclamations as r
    set assignee_id = null
    where r.id = any (
        array(
            select c.id
            from public.reclamations as c
            where c.assignee_id = new.user_id and c.client_id = new.client_id
            limit most
            for no key update skip locked
        )
    );
    get diagnostics claims = row_count;
    update public.notes as n
    set assignee_id = null
    where n.id = any (
        array(
            select t.id
            from public.notes as t
            where t.assignee_id = new.user_id and t.client_id = new.client_id and t.done_at is null
            limit most
            for no key update skip locked
        )
    );
    get diagnostics tasks = row_count;
    new.unassigned := old.unassigned + claims + tasks;
    return new;
end
$function$;

comment on function app.unassign_lost_client() is
    'Trigger of app.lost_clients that removes the user from up to 1,000 claims and 1,000 open tasks of the lost client.';
grant execute on function app.unassign_lost_client() to taxclaims_owner;

create or replace function app.unassign_lost_clients()
    returns boolean
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    lost record;
    unassigned_now bigint;
begin
    for lost in
        select l.user_id, l.client_id, l.unassigned
        from app.lost_clients as l
        order by l.lost_at
        for update skip locked
    loop
        update app.lost_clients as l
        set unassigned = l.unassigned
        where l.user_id = lost.user_id and l.client_id = lost.client_id
        returning l.unassigned into unassigned_now;
        if unassigned_now > lost.unassigned then
            return true;
        end if;
        -- If other transactions have locked the rest of the claims, the row stays for the next round.
        delete from app.lost_clients as l
        where l.user_id = lost.user_id
            and l.client_id = lost.client_id
            and not exists (
                select from public.reclamations as r where r.assignee_id = lost.user_id and r.client_id = lost.client_id
            )
            and not exists (
                select
                from public.notes as n
                where n.assignee_id = lost.user_id and n.client_id = lost.client_id and n.done_at is null
            );
        if found then
            return true;
        end if;
    end loop;
    return false;
end
$function$;

comment on function app.unassign_lost_clients() is
    'Removes a user who lost a client from a batch of the client''s claims and open tasks. Returns false if no such '
    'claim is left, or if other transactions have locked the rest; the service calls the function again until then.';
grant execute on function app.unassign_lost_clients() to taxclaims_api;
