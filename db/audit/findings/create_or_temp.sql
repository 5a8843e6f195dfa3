create view audit.finding_create_or_temp with (security_invoker) as
select
    'error' as level,
    r.kind || ' ' || r.object as object,
    pg_catalog.format(
        '%s is granted to %s%s', r.privilege, r.grantee, case when r.is_grantable then ' with grant option' else '' end
    ) as detail,
    r.statement as remedy
from audit.revoke_statements as r
where r.kind in ('schema', 'database')
    and r.privilege in ('CREATE', 'TEMPORARY')
    and not (r.grantee = 'taxclaims_owner' and r.privilege = 'CREATE');

comment on view audit.finding_create_or_temp is
    'A role may create objects: it can hide a table behind a new table of the same name, or copy rows into a table '
    'without policies. Cause: a grant of CREATE or TEMPORARY. Mend: revoke the grant, or run db:migrate.';
