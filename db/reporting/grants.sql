-- Superusers and members of taxclaims_owner call the functions of this file, which run with the caller's rights.

-- With MEMBER, pg_has_role also finds roles that a login could become by SET ROLE. Some predefined roles of Postgres can
-- read all tables, files or the statements of other users.
create or replace function reporting.find_forbidden_roles(member oid)
    returns setof name
    language sql stable set search_path = ''
begin atomic
    select r.rolname
    from pg_catalog.pg_roles as r
    where pg_catalog.pg_has_role(find_forbidden_roles.member, r.oid, 'MEMBER')
        and r.rolname not in ('taxclaims_reporting', 'taxclaims_reporting_all', 'taxclaims_reporting_few')
        and (
            r.rolsuper
            or r.rolbypassrls
            or r.rolcreaterole
            or r.rolreplication
            or r.rolname like any (array['pg\_%', 'taxclaims\_%'])
        )
        and not app.is_mark(r.oid);
end;

grant execute on function reporting.find_forbidden_roles(oid) to taxclaims_auditor, taxclaims_definer;

create or replace function reporting.find_login_refusal_reason(login name)
    returns text
    language sql stable set search_path = ''
begin atomic
    select
        case
            when r.oid is null then 'does not exist'
            when not r.rolcanlogin then 'may not log in'
            when r.rolsuper then 'is a superuser, who bypasses the policies'
            when not pg_catalog.pg_has_role(r.oid, 'taxclaims_reporting', 'USAGE')
                then 'is not in taxclaims_reporting, or does not inherit its rights'
            when r.rolbypassrls or r.rolcreaterole or r.rolreplication
                then 'has an attribute that lets it past the policies: bypassrls, createrole or replication'
            else (
                select 'can become ' || pg_catalog.string_agg(f.role::text, ', ' order by f.role)
                from reporting.find_forbidden_roles(r.oid) as f (role)
                where f.role <> r.rolname
            )
        end
    from (select find_login_refusal_reason.login as name) as asked
    left join pg_catalog.pg_roles as r on r.rolname = asked.name;
end;

grant execute on function reporting.find_login_refusal_reason(name) to taxclaims_auditor, taxclaims_definer;

-- The trigger stores in login_oid the oid of the role that has the name in the column login; 0 if no role has the name.
create or replace function reporting.set_login_oid()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    new.login_oid := coalesce(pg_catalog.to_regrole(pg_catalog.quote_ident(new.login))::oid, 0);
    return new;
end
$function$;

create or replace trigger grants_set_login_oid
    before insert on reporting.grants
    for each row execute function reporting.set_login_oid();

-- For a login with at most a hundred clients an index scan is faster, for a login with more clients a full scan.
-- Postgres plans a query before it reads the grants, so taxclaims_reporting_few tells Postgres which logins have few
-- clients. bench/README.md has the measured times of the index scan and the full scan.
create or replace function reporting.set_login_role(login name)
    returns void
    language sql volatile set search_path = ''
begin atomic
    select app.set_login_role(
        login,
        (
            select pg_catalog.count(*) <= 100
            from (select from reporting.grants as g where g.login = set_login_role.login limit 101) as up_to_101
        )
    );
end;

create or replace function reporting.set_login_role_after_change()
    returns trigger
    language plpgsql volatile set search_path = ''
as $function$
begin
    perform reporting.set_login_role(c.login) from (select distinct login from changed) as c;
    return null;
end
$function$;

create or replace trigger grants_set_login_role_after_insert
    after insert on reporting.grants
    referencing new table as changed
    for each statement execute function reporting.set_login_role_after_change();

create or replace trigger grants_set_login_role_after_update
    after update on reporting.grants
    referencing new table as changed
    for each statement execute function reporting.set_login_role_after_change();

-- grants_set_login_role_after_delete does not run when a request deletes a client and its grants, because a
-- request may not read reporting.grants. A login that lost a deleted client may use the slower plan until the next
-- grant or deploy.
create or replace trigger grants_set_login_role_after_delete
    after delete on reporting.grants
    referencing old table as changed
    for each statement
    when (pg_catalog.pg_trigger_depth() = 0)
    execute function reporting.set_login_role_after_change();

create or replace function reporting.grant_client(login name, client uuid)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
declare
    objection constant text := reporting.find_login_refusal_reason(grant_client.login);
begin
    if objection is not null then
        raise exception 'login % %', login, objection
            using
                errcode = 'invalid_role_specification',
                hint = 'A login for reporting: create role … login in role taxclaims_reporting, and nothing else.';
    end if;
    -- Deletes the grant of the client to a dropped login that had this login's name.
    delete from reporting.grants as g
    where g.login = grant_client.login
        and g.client_id = grant_client.client
        and g.login_oid <> pg_catalog.to_regrole(pg_catalog.quote_ident(grant_client.login))::oid;
    insert into reporting.grants (login, client_id)
    values (grant_client.login, grant_client.client)
    on conflict do nothing;
exception
    -- taxclaims_owner may not read public.clients, so only the foreign key can show that the client does not exist.
    when foreign_key_violation then
        raise exception 'there is no client %', client using errcode = 'no_data_found';
end
$function$;

-- reporting.revoke_client raises an error if no role and no grant has the name of the login.
create or replace function reporting.revoke_client(login name, client uuid)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
begin
    if not exists (select from pg_catalog.pg_roles as r where r.rolname = revoke_client.login)
        and not exists (select from reporting.grants as g where g.login = revoke_client.login) then
        raise exception 'login % does not exist', login using errcode = 'invalid_role_specification';
    end if;
    delete from reporting.grants as g
    where g.login = revoke_client.login and g.client_id = revoke_client.client;
    if not found then
        raise notice 'login % was not granted client %', login, client;
    end if;
end
$function$;

-- A DBA calls reporting.adopt_grants after a restore into another server, where all roles have new oids.
create or replace function reporting.adopt_grants(login name)
    returns bigint
    language plpgsql volatile set search_path = ''
as $function$
declare
    objection constant text := reporting.find_login_refusal_reason(adopt_grants.login);
    present constant oid := pg_catalog.to_regrole(pg_catalog.quote_ident(adopt_grants.login));
    adopted bigint;
begin
    if objection is not null then
        raise exception 'login % %', login, objection using errcode = 'invalid_role_specification';
    end if;
    update reporting.grants as g
    set login_oid = present
    where g.login = adopt_grants.login and g.login_oid <> present;
    get diagnostics adopted = row_count;
    return adopted;
end
$function$;

-- A login's prepared statements keep plans that were made for the former roles of the login. A GRANT on
-- reporting.grants, which every reporting policy reads, makes Postgres plan prepared statements again.
create or replace function reporting.invalidate_query_plans()
    returns void
    language plpgsql volatile set search_path = ''
as $function$
begin
    grant select (login) on reporting.grants to taxclaims_reporting;
end
$function$;

-- Grants of single clients stay and apply again after reporting.revoke_all_clients. To list logins with all clients:
-- select name from audit.logins where has_all_clients.
create or replace function reporting.grant_all_clients(login name)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
begin
    perform app.add_login_to_reporting_all(login);
    perform reporting.set_login_role(login);
    perform reporting.invalidate_query_plans();
end
$function$;

create or replace function reporting.revoke_all_clients(login name)
    returns void
    language plpgsql volatile set search_path = ''
as $function$
begin
    perform app.remove_login_from_reporting_all(login);
    perform reporting.set_login_role(login);
    perform reporting.invalidate_query_plans();
end
$function$;

create or replace trigger grants_record_grant_or_revocation
    after insert or delete on reporting.grants
    for each row
    when (pg_catalog.pg_trigger_depth() = 0)
    execute function app.record_reporting_grant();

update reporting.grants as g
set login_oid = coalesce(pg_catalog.to_regrole(pg_catalog.quote_ident(g.login))::oid, 0)
where g.login_oid is null;

create or replace trigger grants_record_change
    after update on reporting.grants
    for each row
    when (
        old.login is distinct from new.login
        or old.client_id is distinct from new.client_id
        or old.login_oid <> new.login_oid
    )
    execute function app.record_reporting_grant();

create or replace view reporting.granted with (security_invoker) as
select
    g.login, g.client_id, g.granted_at, g.granted_by,
    coalesce(
        reporting.find_login_refusal_reason(g.login),
        case
            when g.login_oid <> pg_catalog.to_regrole(pg_catalog.quote_ident(g.login))::oid
                then 'is another login than the one that was granted this'
        end
    ) as objection
from reporting.grants as g;

grant select on reporting.granted to taxclaims_auditor;

-- Each deploy calls reporting.set_login_role for all logins, because a grant may be older than
-- taxclaims_reporting_few.
select reporting.set_login_role(g.login) from (select distinct login from reporting.grants) as g;
