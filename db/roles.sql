-- Makes the roles of house-roles.sql, without login, password or privilege. Run by the administrator on every deploy,
-- before the migrations. A deployment puts each of its logins into exactly one of taxclaims_api, taxclaims_reporting
-- and taxclaims_auditor.

do $roles$
declare
    house_roles constant jsonb := pg_catalog.current_setting('deploy.house_roles');
    house constant text[] := array(
        select h.name from pg_catalog.jsonb_to_recordset(house_roles) as h (name text, place integer) order by h.place
    );
    -- Owner, definer and API must not have the rights of roles that they can become or grant.
    not_inheriting constant text[] := array['taxclaims_owner', 'taxclaims_definer', 'taxclaims_api'];
    wanted text;
    command text;
begin
    foreach wanted in array house
    loop
        if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
            execute pg_catalog.format(
                'create role %I nologin %s',
                wanted,
                case when wanted = any (not_inheriting) then 'noinherit' else 'inherit' end
            );
        end if;
        if exists (
            select from pg_catalog.pg_roles
            where rolname = wanted and (rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)
        ) then
            raise exception 'role % may log in or is privileged: it must be neither', wanted
                using errcode = 'invalid_role_specification';
        end if;
    end loop;

    -- Takes back changes by hand. What the administrator may not change stays drift.
    for command in
        select pg_catalog.format(
            'alter role %I %s connection limit -1',
            r.rolname,
            case when r.rolname = any (not_inheriting) then 'noinherit' else 'inherit' end
        )
        from pg_catalog.pg_roles as r
        where r.rolname = any (house) and (r.rolinherit = (r.rolname = any (not_inheriting)) or r.rolconnlimit <> -1)
        union all
        select pg_catalog.format(
            'alter role %I%s reset all',
            r.rolname,
            case when s.setdatabase = 0 then '' else pg_catalog.format(' in database %I', pg_catalog.current_database()) end
        )
        from pg_catalog.pg_db_role_setting as s
        join pg_catalog.pg_roles as r on r.oid = s.setrole
        where r.rolname = any (house)
            and s.setdatabase in (
                0,
                (select d.oid from pg_catalog.pg_database as d where d.datname = pg_catalog.current_database())
            )
        union all
        -- Since Postgres 16 each grantor's membership has options of its own.
        select
            case
                when meant.name is null
                    then pg_catalog.format('revoke %I from %I%s cascade', g.rolname, r.rolname, since16.granted_by)
                when since16.granted_by is null
                    then pg_catalog.format('revoke admin option for %I from %I cascade', g.rolname, r.rolname)
                else pg_catalog.format(
                    'grant %I to %I with admin %s, inherit %s, set %s%s',
                    g.rolname, r.rolname, meant.gives::text, meant.inherits::text, meant.becomes::text, since16.granted_by
                )
            end
        from pg_catalog.pg_auth_members as m
        join pg_catalog.pg_roles as r on r.oid = m.member
        join pg_catalog.pg_roles as g on g.oid = m.roleid
        left join (
            -- The API becomes request roles, the definer grants additions, and a role inherits the role that it
            -- extends.
            select 'taxclaims_api', h.name, false, false, true
            from pg_catalog.jsonb_to_recordset(house_roles) as h (name text, purpose text)
            where h.purpose = 'request'
            union all
            select 'taxclaims_definer', h.name, true, false, false
            from pg_catalog.jsonb_to_recordset(house_roles) as h (name text, purpose text)
            where h.purpose = 'addition'
            union all
            select h.name, h.extends, false, true, false
            from pg_catalog.jsonb_to_recordset(house_roles) as h (name text, extends text)
            where h.extends is not null
        ) as meant (name, role, gives, inherits, becomes) on meant.name = r.rolname and meant.role = g.rolname
        cross join lateral (
            select
                case
                    when pg_catalog.current_setting('server_version_num')::integer >= 160000
                        then pg_catalog.format(' granted by %I', pg_catalog.pg_get_userbyid(m.grantor))
                end
        ) as since16 (granted_by)
        where r.rolname = any (house)
            and (
                meant.name is null
                or m.admin_option > meant.gives
                or (pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean <> meant.inherits
                or (pg_catalog.to_jsonb(m) ->> 'set_option')::boolean <> meant.becomes
            )
        union all
        select distinct pg_catalog.format(
            'revoke all on database %I from %I cascade',
            pg_catalog.current_database(),
            r.rolname
        )
        from pg_catalog.pg_database as d
        cross join lateral pg_catalog.aclexplode(d.datacl) as x
        join pg_catalog.pg_roles as r on r.oid = x.grantee
        where d.datname = pg_catalog.current_database()
            and r.rolname = any (house)
            and (
                x.is_grantable
                or (r.rolname, x.privilege_type) not in (
                    ('taxclaims_owner', 'CREATE'),
                    ('taxclaims_api', 'CONNECT'),
                    ('taxclaims_reporting', 'CONNECT'),
                    ('taxclaims_auditor', 'CONNECT')
                )
            )
        union all
        select pg_catalog.format('alter schema %I owner to taxclaims_owner', n.nspname)
        from pg_catalog.pg_namespace as n
        where n.nspname in ('app', 'reporting', 'audit')
            and pg_catalog.pg_get_userbyid(n.nspowner) <> 'taxclaims_owner'
    loop
        begin
            execute command;
        exception
            when insufficient_privilege then null;
        end;
    end loop;
end
$roles$;

do $rights$
declare
    house_roles constant jsonb := pg_catalog.current_setting('deploy.house_roles');
    command text;
begin
    for command in
        -- An administrator without SUPERUSER works through these memberships.
        select pg_catalog.format('grant taxclaims_owner, taxclaims_definer, taxclaims_housekeeper to %I', current_user)
        where not (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user)
        union all
        -- Only the definer's functions put logins into taxclaims_reporting_all and _few, so the definer needs ADMIN
        -- OPTION and nothing else. Before Postgres 16 NOINHERIT does the rest.
        select pg_catalog.format(
            'grant %I to taxclaims_definer with %s',
            h.name,
            case
                when pg_catalog.current_setting('server_version_num')::integer < 160000 then 'admin option'
                else 'admin true, inherit false, set false'
            end
        )
        from pg_catalog.jsonb_to_recordset(house_roles) as h (name name, purpose text)
        where h.purpose = 'addition'
            and not exists (
                select
                from pg_catalog.pg_auth_members as m
                where m.roleid = h.name::text::regrole and m.member = 'taxclaims_definer'::regrole and m.admin_option
            )
        union all
        -- Also rights granted by hand.
        select distinct pg_catalog.format(
            'revoke all on schema public from %s cascade',
            case x.grantee when 0 then 'public' else x.grantee::regrole::text end
        )
        from pg_catalog.pg_namespace as n
        cross join lateral pg_catalog.aclexplode(n.nspacl) as x
        where n.nspname = 'public' and x.grantee <> n.nspowner
        union all
        -- Each role needs USAGE of its own: nesting.sql comes later.
        select pg_catalog.format('grant %1$I to taxclaims_api; grant usage on schema public to %1$I', h.name)
        from pg_catalog.jsonb_to_recordset(house_roles) as h (name name, purpose text)
        where h.purpose = 'request'
        union all
        select pg_catalog.format(
            'revoke all on database %1$I from public;
            grant connect on database %1$I to taxclaims_api, taxclaims_reporting, taxclaims_auditor;
            grant create on database %1$I to taxclaims_owner',
            pg_catalog.current_database()
        )
    loop
        execute command;
    end loop;
end
$rights$;

create schema if not exists app authorization taxclaims_owner;
grant usage, create on schema public to taxclaims_owner;
grant usage on schema public to taxclaims_definer, taxclaims_housekeeper;
-- Reporting has no USAGE on public: its views need column rights only, and tools then offer no tables beside the views.

-- Large objects have no row-level security.
revoke execute on function
    pg_catalog.lo_create(oid),
    pg_catalog.lo_creat(integer),
    pg_catalog.lo_from_bytea(oid, bytea)
from public;

-- Advisory locks fill the lock table that the whole server shares, and no limit bounds them. Only app.claim_key needs
-- one.
do $advisory$
declare
    taking regprocedure;
begin
    -- A right of its own before PUBLIC loses it; a superuser revokes later if this login cannot.
    if not exists (
        select
        from pg_catalog.pg_proc as f
        cross join lateral pg_catalog.aclexplode(f.proacl) as x
        where f.oid = 'pg_catalog.pg_try_advisory_xact_lock(bigint)'::regprocedure
            and x.grantee = 'taxclaims_definer'::regrole
    ) then
        grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint) to taxclaims_definer;
    end if;
    for taking in
        select f.oid
        from pg_catalog.pg_proc as f
        where f.pronamespace = 'pg_catalog'::regnamespace
            and f.proname ~ '^pg_(try_)?advisory_(xact_)?lock(_shared)?$'
            and pg_catalog.has_function_privilege('public', f.oid, 'EXECUTE')
    loop
        execute pg_catalog.format('revoke execute on function %s from public', taking);
    end loop;
end
$advisory$;
