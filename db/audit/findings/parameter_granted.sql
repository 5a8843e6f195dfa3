create view audit.finding_parameter_granted with (security_invoker) as
select
    'error' as level,
    p.name as object,
    pg_catalog.format('%s is granted to %s', p.privilege, p.role) as detail,
    pg_catalog.format(
        'revoke %s on parameter %I from %s;',
        p.privilege,
        p.name,
        case p.role_oid when 0 then 'public' else pg_catalog.quote_ident(p.role) end
    ) as remedy,
    case
        when not audit.may_act_as(p.grantor_oid)
            then pg_catalog.format(
                '%s may change this setting, also for its members: put no login of a person or a program into %s', p.role, p.role
            )
    end as provider
from audit.parameter_rights as p;

comment on view audit.finding_parameter_granted is
    'A login can disable triggers and foreign keys for itself, load a library, or change the server. Cause: a manual '
    'GRANT SET or ALTER SYSTEM ON PARAMETER. Mend: revoke the right to the setting.';
