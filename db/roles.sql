-- Creates the roles listed in house-roles.sql, without login, password or privilege. The administrator runs this file
-- on every deploy, before the migrations. A deployment puts each of its logins into exactly one of taxclaims_api,
-- taxclaims_reporting and taxclaims_auditor.

do $roles$
declare
    house_roles constant jsonb := pg_catalog.current_setting('deploy.house_roles');
    house constant text[] := array(
        select h.name from pg_catalog.jsonb_to_recordset(house_roles) as h (name text, place integer) order by h.place
    );
    -- taxclaims_owner, taxclaims_definer and taxclaims_api must not inherit rights of roles that they become or grant.
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

    -- This loop undoes manual changes of the roles in house-roles.sql and of their rights. A change that the
    -- administrator may not undo stays listed in audit.drift.
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
        -- Since Postgres 16 a role can be a member of another role once per grantor, each time with options of its own.
        select
            case
                when intended.name is null
                    then pg_catalog.format('revoke %I from %I%s cascade', g.rolname, r.rolname, since16.granted_by)
                when since16.granted_by is null
                    then pg_catalog.format('revoke admin option for %I from %I cascade', g.rolname, r.rolname)
                else pg_catalog.format(
                    'grant %I to %I with admin %s, inherit %s, set %s%s',
                    g.rolname, r.rolname, intended.has_admin_option::text, intended.inherits::text, intended.may_set_role::text, since16.granted_by
                )
            end
        from pg_catalog.pg_auth_members as m
        join pg_catalog.pg_roles as r on r.oid = m.member
        join pg_catalog.pg_roles as g on g.oid = m.roleid
        left join (
            -- The intended memberships: taxclaims_api becomes the request roles, taxclaims_definer grants the second
            -- roles of reporting logins, and a role inherits the rights of the role that it extends.
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
        ) as intended (name, role, has_admin_option, inherits, may_set_role) on intended.name = r.rolname and intended.role = g.rolname
        cross join lateral (
            select
                case
                    when pg_catalog.current_setting('server_version_num')::integer >= 160000
                        then pg_catalog.format(' granted by %I', pg_catalog.pg_get_userbyid(m.grantor))
                end
        ) as since16 (granted_by)
        where r.rolname = any (house)
            and (
                intended.name is null
                or m.admin_option > intended.has_admin_option
                or (pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean <> intended.inherits
                or (pg_catalog.to_jsonb(m) ->> 'set_option')::boolean <> intended.may_set_role
            )
        union all
        -- A deploy of an earlier release let the administrator inherit these two roles.
        select pg_catalog.format('grant %I to %I with inherit false%s', g.rolname, current_user, since16.granted_by)
        from pg_catalog.pg_auth_members as m
        join pg_catalog.pg_roles as g on g.oid = m.roleid and g.rolname in ('taxclaims_definer', 'taxclaims_housekeeper')
        cross join lateral (select pg_catalog.format(' granted by %I', pg_catalog.pg_get_userbyid(m.grantor))) as since16 (granted_by)
        where m.member = (select r.oid from pg_catalog.pg_roles as r where r.rolname = current_user)
            and (pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean
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
        -- To deploy, an administrator without SUPERUSER becomes the owner, definer and housekeeper roles. Only a login
        -- with ADMIN OPTION may grant them, so a second administrator's deploy grants only what is missing. A login that
        -- inherited taxclaims_definer would read every row, so since Postgres 16 the login gets no rights of it without SET ROLE.
        select pg_catalog.format(
            'grant %I to %I%s',
            h.name,
            current_user,
            case
                when pg_catalog.current_setting('server_version_num')::integer < 160000 then ''
                when h.name = 'taxclaims_owner' then ' with inherit true, set true'
                else ' with inherit false, set true'
            end
        )
        from pg_catalog.jsonb_to_recordset(house_roles) as h (name name, purpose text)
        join pg_catalog.pg_roles as r on r.rolname = current_user and not r.rolsuper
        where h.purpose = 'back'
            and not case
                when pg_catalog.current_setting('server_version_num')::integer < 160000
                    then pg_catalog.pg_has_role(r.oid, h.name, 'MEMBER')
                else pg_catalog.pg_has_role(r.oid, h.name, 'SET')
                    and (h.name <> 'taxclaims_owner' or pg_catalog.pg_has_role(r.oid, h.name, 'USAGE'))
            end
        union all
        -- The functions of taxclaims_definer put logins into taxclaims_reporting_all and taxclaims_reporting_few, so
        -- taxclaims_definer needs ADMIN OPTION on these two roles, but not their rights. Before Postgres 16 the
        -- NOINHERIT of taxclaims_definer has the effect of `inherit false`.
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
        select distinct pg_catalog.format(
            'revoke all on schema public from %s cascade',
            case x.grantee when 0 then 'public' else x.grantee::regrole::text end
        )
        from pg_catalog.pg_namespace as n
        cross join lateral pg_catalog.aclexplode(n.nspacl) as x
        where n.nspname = 'public' and x.grantee <> n.nspowner
        union all
        -- Each request role gets its own USAGE on schema public: it inherits rights only later, from db/nesting.sql.
        select pg_catalog.format('grant usage on schema public to %I', h.name)
        from pg_catalog.jsonb_to_recordset(house_roles) as h (name name, purpose text)
        where h.purpose = 'request'
        union all
        select pg_catalog.format('grant %I to taxclaims_api', h.name)
        from pg_catalog.jsonb_to_recordset(house_roles) as h (name name, purpose text)
        where h.purpose = 'request'
            and not exists (
                select
                from pg_catalog.pg_auth_members as m
                where m.roleid = h.name::text::regrole and m.member = 'taxclaims_api'::regrole
            )
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

-- audit.administrators counts the direct members of taxclaims_owner. A login that has the rights of taxclaims_owner through
-- another administrator's role becomes a direct member as well, if it may grant taxclaims_owner.
do $administrator$
begin
    if not exists (
        select
        from pg_catalog.pg_auth_members as m
        where m.roleid = 'taxclaims_owner'::regrole and m.member = (select r.oid from pg_catalog.pg_roles as r where r.rolname = current_user)
    ) and not (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
        execute pg_catalog.format('grant taxclaims_owner to %I', current_user);
    end if;
exception
    when insufficient_privilege then null;
end
$administrator$;

create schema if not exists app authorization taxclaims_owner;
grant usage, create on schema public to taxclaims_owner;
grant usage on schema public to taxclaims_definer, taxclaims_housekeeper;
-- taxclaims_reporting gets no USAGE on schema public: the reporting views need only rights to columns, and BI tools
-- then list the views but no tables.

-- The rows of these functions are in audit.functions_to_close, with what they would let everybody do. Only app.claim_key
-- needs an advisory lock.
do $close$
declare
    open_function regprocedure;
begin
    -- taxclaims_definer gets EXECUTE on pg_try_advisory_xact_lock before PUBLIC loses it. If the login that deploys
    -- cannot revoke EXECUTE on the functions from PUBLIC, a superuser must do so later.
    if not exists (
        select
        from pg_catalog.pg_proc as f
        cross join lateral pg_catalog.aclexplode(f.proacl) as x
        where f.oid = 'pg_catalog.pg_try_advisory_xact_lock(bigint)'::regprocedure
            and x.grantee = 'taxclaims_definer'::regrole
    ) then
        grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint) to taxclaims_definer;
    end if;
    for open_function in
        select f.oid
        from pg_catalog.pg_proc as f
        where f.pronamespace = 'pg_catalog'::regnamespace
            and f.proname ~ '^(lo_(creat|create|from_bytea)|pg_((try_)?advisory_(xact_)?lock(_shared)?|logical_emit_message|export_snapshot))$'
            and pg_catalog.has_function_privilege('public', f.oid, 'EXECUTE')
    loop
        execute pg_catalog.format('revoke execute on function %s from public', open_function);
    end loop;
end
$close$;
