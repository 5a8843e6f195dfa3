create view audit.finding_catalog_right with (security_invoker) as
select
    'error' as level,
    r.object || coalesce('.' || r.column_name, '') as object,
    pg_catalog.format('%s is granted to %s, which is not a default right', r.privilege, r.role) as detail,
    pg_catalog.format(
        'revoke %s on %s %s from %s;',
        r.privilege || coalesce(' (' || pg_catalog.quote_ident(r.column_name) || ')', ''),
        r.kind,
        r.object,
        case r.role_oid when 0 then 'public' else pg_catalog.quote_ident(r.role) end
    ) as remedy,
    case
        when not audit.may_act_as(r.grantor_oid)
            then pg_catalog.format('%s reads more of Postgres than a new server allows: put no login of a person or a program into it', r.role)
    end as provider
from audit.catalog_rights as r;

comment on view audit.finding_catalog_right is
    'A login reads column samples (pg_statistic), passwords (pg_authid), large objects or files (pg_read_file). '
    'Cause: a grant on an object of Postgres. Mend: revoke the grant.';
