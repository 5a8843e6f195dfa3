create view audit.finding_rights_outside_house with (security_invoker) as
select
    'error' as level,
    about.object,
    pg_catalog.format(
        '%s has %s',
        r.grantee,
        pg_catalog.string_agg(
            r.privilege
                || coalesce(' (' || r.column_name || ')', '')
                || case when r.is_grantable then ' with grant option' else '' end
                || ' on '
                || case r.kind when 'database' then r.object else r.kind || ' ' || r.object end,
            ', '
            order by r.kind, r.object, r.privilege, r.column_name
        )
    ) as detail,
    pg_catalog.string_agg(r.statement, ' ' order by r.kind, r.object, r.privilege, r.column_name) as remedy,
    case
        when pg_catalog.bool_and(
            not audit.may_act_as(r.grantor_oid)
            or r.kind = 'database'
            and audit.is_surrounding('role', r.grantee)
            and audit.is_surrounding('right', pg_catalog.format('%s to %s', r.privilege, r.grantee))
        ) then case
            when r.grantee_oid = 0
                then 'every login of this server can connect to this database, and sees no row: keep no database of others on this server'
            else pg_catalog.format('%s can connect to this database, and sees no row: let nobody but the provider have its password', r.grantee)
        end
    end as provider
from audit.revoke_statements as r
cross join lateral (
    select case r.grantee_oid when 0 then r.kind || ' ' || r.object else r.grantee end as object
) as about
where not exists (select from audit.house_roles as h where h.oid = r.grantee_oid)
    and r.privilege not in ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN', 'CREATE', 'TEMPORARY')
    and not exists (
        select
        from audit.definer_functions as f
        where r.kind = 'function' and f.object = r.object
    )
    -- The login of a DBA or of an administrator needs its own grant of CONNECT, because taxclaims_owner cannot log in.
    and not (
        r.kind = 'database'
        and r.privilege = 'CONNECT'
        and not r.is_grantable
        and (
            exists (select from audit.logins as l where l.oid = r.grantee_oid and (l.is_dba or l.is_administrator))
            -- The audit finding login_reaches_privilege reports CONNECT of a login in audit.login_powers.
            or exists (select from audit.login_powers as p where p.login_oid = r.grantee_oid)
        )
    )
group by r.grantee, r.grantee_oid, about.object
union all
select
    'error',
    p.name || ' on ' || p.table_name,
    'the policy applies to ' || pg_catalog.pg_get_userbyid(member.oid),
    pg_catalog.format('name the roles of the policy: alter policy %I on %s to …', p.name, p.table_name),
    null
from audit.policies as p
cross join lateral pg_catalog.unnest(p.role_oids) as member (oid)
where member.oid <> 0 and not exists (select from audit.house_roles as h where h.oid = member.oid);

comment on view audit.finding_rights_outside_house is
    'A role outside this application has a right to the application''s objects, or a policy names the role. Cause: a '
    'grant by hand. Mend: revoke the right, and put the login into a group role.';
