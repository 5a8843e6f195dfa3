create view audit.finding_admin_of_house_role with (security_invoker) as
select
    'error' as level,
    member.rolname as object,
    'may grant ' || h.name || ' to any role' as detail,
    'revoke admin option for ' || m.revoked || ';' as remedy
from audit.memberships as m
join audit.house_roles as h on h.oid = m.role_oid
join pg_catalog.pg_roles as member on member.oid = m.member_oid
where m.admin_option
    and not member.rolsuper
    and member.oid not in (select a.oid from audit.administrators() as a)
    -- The audit findings house_role_changed and login_reaches_house_role report roles of this application with ADMIN
    -- OPTION, and logins with ADMIN OPTION on taxclaims_reporting_all or taxclaims_reporting_few.
    and h.purpose <> 'addition'
    and not exists (select from audit.house_roles as own where own.oid = member.oid);

comment on view audit.finding_admin_of_house_role is
    'A role other than the administrator can put logins into a role of this application. Cause: a grant of ADMIN '
    'OPTION, or CREATEROLE. Mend: revoke ADMIN OPTION or CREATEROLE.';
