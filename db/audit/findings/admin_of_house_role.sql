create view audit.finding_admin_of_house_role with (security_invoker) as
select
    'error' as level,
    member.rolname as object,
    'may give ' || h.name || ' to anybody' as detail,
    'revoke admin option for ' || m.revoked || ';' as remedy
from audit.memberships as m
join audit.house_roles as h on h.oid = m.role_oid
join pg_catalog.pg_roles as member on member.oid = m.member_oid
join pg_catalog.pg_database as d on d.datname = pg_catalog.current_database()
where m.admin_option
    and not member.rolsuper
    -- The administrator who applies the database makes its logins.
    and member.oid <> d.datdba
    -- A house role that is in another, and who has all clients, have findings of their own.
    and h.purpose <> 'addition'
    and not exists (select from audit.house_roles as own where own.oid = member.oid);

comment on view audit.finding_admin_of_house_role is
    'Somebody who is no administrator decides who becomes a request, a BI login or the owner. Comes of grant … with admin '
    'option, or of a role that CREATEROLE made. Mend: revoke the option.';
