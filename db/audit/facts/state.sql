-- Everything that decides who may do what, one fact a line: what audit.drift compares and what the golden file
-- in the repository holds. A function, because the catalog writes names by the path of whoever asks.
create function audit.state()
    returns table (kind text, object text, definition text)
    language sql
    stable
    set jit = off
    set search_path = ''
begin atomic
    select
        'role',
        h.name::text,
        pg_catalog.concat_ws(
            ', ',
            case when r.rolcanlogin then 'login' else 'nologin' end,
            case when r.rolinherit then 'inherit' else 'noinherit' end,
            case when r.rolsuper then 'SUPERUSER' end,
            case when r.rolbypassrls then 'BYPASSRLS' end,
            case when r.rolcreaterole then 'CREATEROLE' end,
            case when r.rolcreatedb then 'CREATEDB' end,
            case when r.rolreplication then 'REPLICATION' end
        )
    from audit.house_roles as h
    join pg_catalog.pg_roles as r on r.oid = h.oid
    union all
    select
        'membership',
        h.name::text,
        'in ' || pg_catalog.string_agg(distinct g.rolname::text, ', ' order by g.rolname::text)
    from audit.house_roles as h
    join pg_catalog.pg_auth_members as m on m.member = h.oid
    join pg_catalog.pg_roles as g on g.oid = m.roleid
    group by h.name
    union all
    select
        'table',
        t.name,
        pg_catalog.concat_ws(
            ', ',
            'owner ' || pg_catalog.pg_get_userbyid(t.owner),
            'row security ' || case when t.row_security then 'on' else 'OFF' end,
            case when t.forced then 'forced' else 'NOT FORCED' end
        )
    from audit.house_tables as t
    union all
    select
        'view',
        pg_catalog.format('%I.%I', s.name, c.relname),
        pg_catalog.concat_ws(
            ', ',
            'owner ' || pg_catalog.pg_get_userbyid(c.relowner),
            case c.relkind when 'm' then 'MATERIALIZED' when 'f' then 'FOREIGN' end,
            pg_catalog.array_to_string(c.reloptions, ', ')
        )
    from pg_catalog.pg_class as c
    join audit.house_schemas as s on s.oid = c.relnamespace
    where c.relkind in ('v', 'm', 'f')
    union all
    select
        'policy',
        p.name || ' on ' || p.table_name,
        pg_catalog.concat_ws(
            ' ',
            case when p.permissive then 'permissive' else 'restrictive' end,
            'for',
            pg_catalog.lower(p.command),
            'to',
            p.roles,
            'using (' || p.using_expression || ')',
            'with check (' || p.check_expression || ')'
        )
    from audit.policies as p
    union all
    select
        'grant',
        g.kind || ' ' || g.object || ' to ' || g.grantee,
        pg_catalog.string_agg(g.privileges, '; ' order by g.privileges)
    from (
        select
            r.kind,
            r.object,
            r.grantee,
            r.privilege
                || coalesce(' (' || pg_catalog.string_agg(r.column_name, ', ' order by r.column_name) || ')', '')
                || case when pg_catalog.bool_or(r.is_grantable) then ' WITH GRANT OPTION' else '' end as privileges
        from audit.rights as r
        -- How a DBA of the deployment's connects; see audit.logins.
        where not (
            r.kind = 'database'
            and r.privilege = 'CONNECT'
            and not r.is_grantable
            and exists (select from audit.logins as l where l.oid = r.grantee_oid and l.is_dba)
        )
        group by r.kind, r.object, r.grantee, r.privilege, r.column_name is null
    ) as g
    group by g.kind, g.object, g.grantee
    union all
    select
        'default privileges',
        pg_catalog.format(
            '%s of %s in %s',
            d.defaclobjtype,
            pg_catalog.pg_get_userbyid(d.defaclrole),
            case d.defaclnamespace when 0 then 'every schema' else d.defaclnamespace::regnamespace::text end
        ),
        pg_catalog.string_agg(
            pg_catalog.format('%s to %s', x.privilege_type, coalesce(r.rolname, 'PUBLIC')),
            ', '
            order by x.privilege_type, r.rolname
        )
    from pg_catalog.pg_default_acl as d
    cross join lateral pg_catalog.aclexplode(d.defaclacl) as x
    left join pg_catalog.pg_roles as r on r.oid = x.grantee
    group by d.defaclobjtype, d.defaclrole, d.defaclnamespace
    union all
    select
        'function',
        pg_catalog.format('%I.%I(%s)', s.name, f.proname, pg_catalog.pg_get_function_identity_arguments(f.oid)),
        pg_catalog.concat_ws(
            ', ',
            'owner ' || pg_catalog.pg_get_userbyid(f.proowner),
            case f.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
            case when f.prosecdef then 'security definer' else 'security invoker' end,
            case when f.proleakproof then 'LEAKPROOF' end,
            pg_catalog.array_to_string(f.proconfig, ', ')
        )
    from pg_catalog.pg_proc as f
    join audit.house_schemas as s on s.oid = f.pronamespace
    union all
    select
        'function body',
        pg_catalog.format('%I.%I(%s)', s.name, f.proname, pg_catalog.pg_get_function_identity_arguments(f.oid)),
        pg_catalog.md5(pg_catalog.pg_get_functiondef(f.oid))
    from pg_catalog.pg_proc as f
    join audit.house_schemas as s on s.oid = f.pronamespace
    where f.prokind in ('f', 'p')
    union all
    select
        'view body',
        pg_catalog.format('%I.%I', s.name, c.relname),
        pg_catalog.md5(pg_catalog.pg_get_viewdef(c.oid))
    from pg_catalog.pg_class as c
    join audit.house_schemas as s on s.oid = c.relnamespace
    where c.relkind in ('v', 'm')
    union all
    select
        'trigger',
        pg_catalog.format('%I on %s', t.tgname, h.name),
        case t.tgenabled when 'O' then '' else 'NOT ALWAYS FIRED: ' end || pg_catalog.pg_get_triggerdef(t.oid)
    from pg_catalog.pg_trigger as t
    join audit.house_tables as h on h.oid = t.tgrelid
    where not t.tgisinternal;
end;

comment on function audit.state() is
    'Everything that decides who may do what, one fact a row. What audit.drift compares.';

revoke execute on function audit.state() from public;
grant execute on function audit.state() to taxclaims_auditor;
