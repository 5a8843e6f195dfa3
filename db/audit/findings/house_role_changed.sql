create view audit.finding_house_role_changed with (security_invoker) as
select
    'error' as level,
    h.name::text as object,
    'may log in or is privileged' as detail,
    pg_catalog.format('alter role %I nologin nosuperuser nobypassrls nocreaterole nocreatedb noreplication;', h.name) as remedy
from audit.house_roles as h
join pg_catalog.pg_roles as r on r.oid = h.oid
where r.rolcanlogin or r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb or r.rolreplication
union all
select
    'error',
    h.name::text,
    'is a member of ' || r.rolname,
    -- Since Postgres 16 each grantor has given a membership of their own.
    pg_catalog.format(
        'revoke %I from %I%s cascade;',
        r.rolname,
        h.name,
        case
            when pg_catalog.current_setting('server_version_num')::integer >= 160000
                then pg_catalog.format(' granted by %I', pg_catalog.pg_get_userbyid(m.grantor))
        end
    )
from audit.house_roles as h
join pg_catalog.pg_auth_members as m on m.member = h.oid
join pg_catalog.pg_roles as r on r.oid = m.roleid
where not (
    h.name = 'taxclaims_api'
    and exists (select from audit.house_roles as request where request.oid = r.oid and request.purpose = 'request')
)
and r.rolname is distinct from h.extends
-- It gives these roles to logins. What it inherited would be a second policy on each table, which is a finding.
and not (h.name = 'taxclaims_definer' and r.rolname in ('taxclaims_reporting_all', 'taxclaims_reporting_few'));

comment on view audit.finding_house_role_changed is
    'A role of the house can log in, has a power of its own or reaches another role, and with it rows that its '
    'policies do not give. Comes of alter role or grant by hand. Mend: take it back as the remedy says.';
