-- In the audit record of a grant, `action` names the reporting login, `client_context` names the client, and `actor`
-- names the login that made the grant.
create or replace function app.record_reporting_grant()
    returns trigger
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    insert into public.audit_logs (actor, action, resource_type, client_context, success)
    select session_user, done.what || ' ' || done.login, 'reporting.grants', done.client_id, true
    from (
        -- The trigger records a DBA's update of a grant as a revocation of the old grant and a new grant.
        values
            (
                'reporting.revoke_client', old.login, old.client_id,
                tg_op = 'DELETE'
                or tg_op = 'UPDATE' and (old.login, old.client_id) is distinct from (new.login, new.client_id)
            ),
            (
                'reporting.grant_client', new.login, new.client_id,
                tg_op = 'INSERT'
                or tg_op = 'UPDATE' and (old.login, old.client_id) is distinct from (new.login, new.client_id)
            ),
            (
                'reporting.adopt_grants', new.login, new.client_id,
                tg_op = 'UPDATE' and (old.login, old.client_id) is not distinct from (new.login, new.client_id)
            )
    ) as done (what, login, client_id, is_so)
    where done.is_so;
    return null;
end
$function$;

comment on function app.record_reporting_grant() is
    'Trigger of reporting.grants that writes an audit record of each grant and revocation.';
grant execute on function app.record_reporting_grant() to taxclaims_owner;

-- Only taxclaims_definer may grant the reporting roles, and its functions write an audit record of each grant.
create or replace function app.add_login_to_reporting_all(login name)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    objection constant text := reporting.find_login_refusal_reason(add_login_to_reporting_all.login);
begin
    if objection is not null then
        raise exception 'login % %', login, objection
            using
                errcode = 'invalid_role_specification',
                hint = 'A login for reporting: create role … login in role taxclaims_reporting, and nothing else.';
    end if;
    if exists (
        select
        from pg_catalog.pg_auth_members as m
        where m.roleid = 'taxclaims_reporting_all'::regrole
            and m.member = (select r.oid from pg_catalog.pg_roles as r where r.rolname = add_login_to_reporting_all.login)
    ) then
        raise notice 'login % already has all clients', login;
        return;
    end if;
    execute pg_catalog.format('grant taxclaims_reporting_all to %I', login);
    if not pg_catalog.pg_has_role(login, 'taxclaims_reporting_all', 'USAGE') then
        raise exception 'login % does not inherit the rights of its roles', login using errcode = 'invalid_role_specification';
    end if;
    insert into public.audit_logs (actor, action, resource_type, success)
    values (session_user, 'reporting.grant_all_clients ' || login, 'reporting.grants', true);
end
$function$;

-- app.remove_login_from_reporting_all raises an error if the login stays a member of taxclaims_reporting_all, because
-- another role granted the membership.
create or replace function app.remove_login_from_reporting_all(login name)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
begin
    if not exists (select from pg_catalog.pg_roles as r where r.rolname = remove_login_from_reporting_all.login) then
        raise exception 'login % does not exist', login using errcode = 'invalid_role_specification';
    end if;
    if not pg_catalog.pg_has_role(login, 'taxclaims_reporting_all', 'MEMBER') then
        raise notice 'login % was not granted all clients', login;
        return;
    end if;
    execute pg_catalog.format('revoke taxclaims_reporting_all from %I', login);
    if pg_catalog.pg_has_role(login, 'taxclaims_reporting_all', 'MEMBER') then
        raise exception 'login % still has all clients, because another grantor gave it the role', login
            using
                errcode = 'invalid_role_specification',
                hint = 'audit.findings shows how the login got this role; a superuser can revoke it.';
    end if;
    insert into public.audit_logs (actor, action, resource_type, success)
    values (session_user, 'reporting.revoke_all_clients ' || login, 'reporting.grants', true);
end
$function$;

grant execute on function app.add_login_to_reporting_all(name), app.remove_login_from_reporting_all(name) to taxclaims_owner;

-- app.set_login_role puts no login with all clients into taxclaims_reporting_few, because the restrictive
-- policies for that role would hide rows from the login.
create or replace function app.set_login_role(login name, has_few boolean)
    returns void
    language plpgsql volatile security definer set search_path = ''
as $function$
declare
    should_be_member boolean;
    is_member boolean;
begin
    select
        has_few and not pg_catalog.pg_has_role(r.oid, 'taxclaims_reporting_all', 'MEMBER'),
        exists (
            select
            from pg_catalog.pg_auth_members as m
            where m.roleid = 'taxclaims_reporting_few'::regrole and m.member = r.oid
        )
    into should_be_member, is_member
    from pg_catalog.pg_roles as r
    where r.rolname = set_login_role.login;
    if should_be_member and not is_member and reporting.find_login_refusal_reason(set_login_role.login) is null then
        execute pg_catalog.format('grant taxclaims_reporting_few to %I', login);
    elsif is_member and not should_be_member then
        execute pg_catalog.format('revoke taxclaims_reporting_few from %I', login);
    end if;
end
$function$;

comment on function app.set_login_role(name, boolean) is
    'Puts a login into the role taxclaims_reporting_few, which only makes the login''s queries faster, or removes the '
    'login from that role. For reporting.set_login_role.';
grant execute on function app.set_login_role(name, boolean) to taxclaims_owner;

-- Reporting logins may not read users.client_access, because this column also lists clients that are not granted to the
-- login.
create or replace function app.list_user_client_access()
    returns table (user_id uuid, client_id uuid)
    language plpgsql stable security definer set search_path = ''
as $function$
begin
    return query
    select
        u.id,
        listed.client_id
    from public.users as u
    cross join lateral (select distinct l.id from pg_catalog.unnest(u.client_access) as l (id)) as listed (client_id)
    where pg_catalog.pg_has_role(session_user, 'taxclaims_reporting_all', 'USAGE')
        or listed.client_id in (select g.client_id from reporting.grants as g);
end
$function$;

grant execute on function app.list_user_client_access() to taxclaims_reporting;

comment on function app.add_login_to_reporting_all(name) is
    'Puts a login into the role taxclaims_reporting_all. For reporting.grant_all_clients.';
comment on function app.remove_login_from_reporting_all(name) is
    'Removes a login from the role taxclaims_reporting_all. For reporting.revoke_all_clients.';
comment on function app.list_user_client_access() is
    'Returns which user has access to which client, limited to the clients granted to the calling login. For '
    'reporting.assignments.';
