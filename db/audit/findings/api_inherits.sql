create view audit.finding_api_inherits with (security_invoker) as
select
    'error' as level,
    g.name::text as object,
    'has, even without SET ROLE, the rights of ' || pg_catalog.string_agg(h.name, ', ' order by h.name) as detail,
    case
        when pg_catalog.current_setting('server_version_num')::integer < 160000
            then pg_catalog.format('alter role %I noinherit;', g.name)
        else (
            select pg_catalog.string_agg(
                pg_catalog.format(
                    'grant %I to %I with inherit false granted by %I;',
                    r.rolname,
                    g.name,
                    pg_catalog.pg_get_userbyid(m.grantor)
                ),
                ' '
                order by r.rolname
            )
            from pg_catalog.pg_auth_members as m
            join pg_catalog.pg_roles as r on r.oid = m.roleid
            where m.member = g.oid and (pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean
        )
    end as remedy
from audit.house_roles as g
join audit.house_roles as h on h.purpose = 'request' and pg_catalog.pg_has_role(g.oid, h.oid, 'USAGE')
where g.purpose = 'group'
group by g.oid, g.name;

comment on view audit.finding_api_inherits is
    'Logins in a group role have the rights of request roles without SET ROLE. Cause: the group role has INHERIT. '
    'Mend: make the group role NOINHERIT, or grant it the request roles with inherit false.';
