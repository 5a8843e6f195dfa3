create view audit.finding_create_or_temp with (security_invoker) as
select
    'error' as level,
    r.kind || ' ' || r.object as object,
    pg_catalog.format(
        '%s is granted to %s%s', r.privilege, r.grantee, case when r.is_grantable then ' with grant option' else '' end
    ) as detail,
    r.statement as remedy,
    case
        when not audit.may_act_as(r.grantor_oid)
            or r.kind = 'database'
            and audit.is_surrounding('role', r.grantee)
            and audit.is_surrounding('right', pg_catalog.format('%s to %s', r.privilege, r.grantee))
            then pg_catalog.format('%s may create objects here, but reads no row: let no login of a person or a program become it', r.grantee)
    end as provider
from audit.revoke_statements as r
where r.kind in ('schema', 'database')
    and r.privilege in ('CREATE', 'TEMPORARY')
    and not (r.grantee = 'taxclaims_owner' and r.privilege = 'CREATE');

comment on view audit.finding_create_or_temp is
    'A role may create objects: it can hide a table behind a new table of the same name, or copy rows into a table '
    'without policies. Cause: a grant of CREATE or TEMPORARY. Mend: revoke the grant, or run db:migrate.';
