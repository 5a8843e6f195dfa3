-- A login may be in exactly one of taxclaims_api, taxclaims_reporting and taxclaims_auditor, and in no other role of
-- this application. Only members of taxclaims_api may become request roles.
create view audit.finding_login_reaches_house_role with (security_invoker) as
select
    'error' as level,
    l.name as object,
    pg_catalog.format(
        '%s %s',
        case when pg_catalog.pg_has_role(l.oid, h.oid, 'USAGE') then 'has the rights of' else 'can become' end,
        h.name
    ) as detail,
    'put the login into exactly one of taxclaims_api, taxclaims_reporting and taxclaims_auditor' as remedy
from audit.logins as l
join audit.house_roles as h on pg_catalog.pg_has_role(l.oid, h.oid, 'MEMBER')
where not l.is_administrator
    and case h.purpose
        when 'back' then not (h.name = 'taxclaims_owner' and l.is_dba)
        when 'request' then 'taxclaims_api' <> all (l.groups) or (
            pg_catalog.pg_has_role(l.oid, h.oid, 'USAGE')
            -- If taxclaims_api itself inherits a request role, the audit finding api_inherits reports taxclaims_api.
            and not pg_catalog.pg_has_role('taxclaims_api', h.oid, 'USAGE')
        )
        when 'addition' then l.groups <> array['taxclaims_reporting']::name[]
        else pg_catalog.cardinality(l.groups) > 1
    end
union all
-- Only the functions of schema reporting may grant taxclaims_reporting_all and taxclaims_reporting_few to a login,
-- directly and without ADMIN OPTION.
select
    'error',
    l.name,
    case
        when m.admin_option then pg_catalog.format('may grant %s to others', h.name)
        when h.name = 'taxclaims_reporting_few' then 'has taxclaims_reporting_few, but not from the function that places logins'
        else 'has taxclaims_reporting_all, but not from reporting.grant_all_clients'
    end,
    case
        when m.role_oid is null
            then pg_catalog.format('remove the login from the role through which it has %I, then call reporting.%s', h.name, remedy.function_name)
        else pg_catalog.format('revoke %s cascade; select reporting.%s(%L);', m.revoked, remedy.function_name, l.name)
    end
from audit.logins as l
join audit.house_roles as h on h.purpose = 'addition' and pg_catalog.pg_has_role(l.oid, h.oid, 'MEMBER')
cross join lateral (
    values (case h.name when 'taxclaims_reporting_few' then 'set_login_role' else 'grant_all_clients' end)
) as remedy (function_name)
left join audit.memberships as m
    on m.role_oid = h.oid
    and m.member_oid = l.oid
    and (m.admin_option or m.grantor_oid <> (select d.oid from audit.house_roles as d where d.name = 'taxclaims_definer'))
where not l.is_administrator
    and l.groups = array['taxclaims_reporting']::name[]
    and (
        m.role_oid is not null
        or not exists (select from pg_catalog.pg_auth_members as direct where direct.roleid = h.oid and direct.member = l.oid)
    );

comment on view audit.finding_login_reaches_house_role is
    'A login is in two group roles, or has another role of this application besides its group role. Cause: a second '
    'GRANT. Mend: revoke all roles of this application except one group role.';
