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
    'revoke ' || m.revoked || ' cascade;'
from audit.house_roles as h
join audit.memberships as m on m.member_oid = h.oid
join pg_catalog.pg_roles as r on r.oid = m.role_oid
where not (
    h.name = 'taxclaims_api'
    and exists (select from audit.house_roles as request where request.oid = r.oid and request.purpose = 'request')
)
and r.rolname is distinct from h.extends
-- taxclaims_definer needs ADMIN OPTION on taxclaims_reporting_all and taxclaims_reporting_few, because functions that
-- run as taxclaims_definer grant both roles to logins. The audit finding several_permissive reports taxclaims_definer
-- if taxclaims_definer inherits the policies of taxclaims_reporting_all.
and not (h.name = 'taxclaims_definer' and r.rolname in ('taxclaims_reporting_all', 'taxclaims_reporting_few'));

comment on view audit.finding_house_role_changed is
    'A role of this application can log in, has an attribute such as SUPERUSER, or is a member of a wrong role. Cause: '
    'a manual ALTER ROLE or GRANT. Mend: run the SQL in the column remedy.';
