-- What speaks against serving tenants through the login that asks: a table whose row-level security is not forced, or
-- any power of the login beyond the one that it is made for, by itself or as anybody it can become. The list is closed:
-- a login has no attribute but LOGIN, is a member of taxclaims_api and of nothing else, and owns nothing. A few catalog
-- rows, and in plpgsql, which plans once for a session: cheap enough for a health check.
create or replace function app.isolation_objections()
    returns setof text
    language plpgsql
    stable
    set search_path = ''
as $function$
begin
    return query
    with reach as (
        -- A superuser could become everybody, which says nothing more.
        select
            r.*,
            r.rolname = session_user as is_login,
            r.rolname in (
                'taxclaims_admin',
                'taxclaims_scoped_admin',
                'taxclaims_account_manager',
                'taxclaims_tax_specialist',
                'taxclaims_client'
            ) as is_request_role
        from pg_catalog.pg_roles as r
        where r.rolname = session_user
            or (
                pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
                and not (select s.rolsuper from pg_catalog.pg_roles as s where s.rolname = session_user)
            )
    )
    select 'row-level security is off or not forced on ' || pg_catalog.string_agg(c.oid::regclass::text, ', ')
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p')
        and n.nspname in ('public', 'app', 'reporting', 'audit', 'audit_log')
        and not (c.relrowsecurity and c.relforcerowsecurity)
    having pg_catalog.count(*) > 0
    union all
    select
        pg_catalog.format(
            'the login %I %s %s',
            session_user,
            case when r.is_login then 'has' else 'can become ' || pg_catalog.quote_ident(r.rolname) || ', which has' end,
            pg_catalog.concat_ws(
                ', ',
                case when r.rolsuper then 'SUPERUSER' end,
                case when r.rolbypassrls then 'BYPASSRLS' end,
                case when r.rolcreaterole then 'CREATEROLE' end,
                case when r.rolcreatedb then 'CREATEDB' end,
                case when r.rolreplication then 'REPLICATION' end
            )
        )
    from reach as r
    where r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication
    union all
    -- Inherited or not, and on Postgres 16 and newer with whatever options.
    select distinct
        pg_catalog.format(
            'the login %I %s a member of %I%s',
            session_user,
            case when member.is_login then 'is' else 'can become ' || pg_catalog.quote_ident(member.rolname) || ',' end,
            r.rolname,
            case when m.admin_option then ' with the right to give it to others' end
        )
    from pg_catalog.pg_auth_members as m
    join reach as member on member.oid = m.member
    join pg_catalog.pg_roles as r on r.oid = m.roleid
    where m.admin_option
        or not (
            (member.is_login and r.rolname = 'taxclaims_api')
            or (member.rolname = 'taxclaims_api' and exists (
                select from reach as request where request.oid = r.oid and request.is_request_role
            ))
        )
    union all
    select pg_catalog.format('the login %I has the rights of %I without becoming it', session_user, r.rolname)
    from reach as r
    where r.is_request_role and pg_catalog.pg_has_role(session_user, r.oid, 'USAGE')
    union all
    select pg_catalog.format('the login %I owns this database', session_user)
    from reach as r
    where r.rolname = 'pg_database_owner'
    union all
    select
        pg_catalog.format(
            'the login %I owns %s objects of this database, such as %s',
            session_user,
            pg_catalog.count(*),
            pg_catalog.min(pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid))
        )
    from pg_catalog.pg_shdepend as d
    join reach as r on r.oid = d.refobjid
    where d.refclassid = 'pg_catalog.pg_authid'::regclass
        and d.deptype = 'o'
        -- The audit asks as each request role, by a function of that role's own.
        and not (r.is_request_role and d.classid = 'pg_catalog.pg_proc'::regclass)
        and d.dbid = (select b.oid from pg_catalog.pg_database as b where b.datname = pg_catalog.current_database())
    having pg_catalog.count(*) > 0;
end
$function$;

comment on function app.isolation_objections() is
    'What speaks against serving tenants through the login that asks: a table without forced row-level security, or a '
    'power beyond that of a member of taxclaims_api. No row when all is well.';

revoke execute on function app.isolation_objections() from public;
grant execute on function app.isolation_objections() to taxclaims_api;

-- Whether the tenants are kept apart for the login that asks. The release before this one asks no more.
create or replace function app.isolation_holds()
    returns boolean
    language sql
    stable
    set search_path = ''
return not exists (select from app.isolation_objections() as o (objection));

comment on function app.isolation_holds() is 'Whether app.isolation_objections is empty; the release before asks it.';

revoke execute on function app.isolation_holds() from public;
grant execute on function app.isolation_holds() to taxclaims_api;
