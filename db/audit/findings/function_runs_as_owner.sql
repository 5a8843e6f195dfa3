create view audit.finding_function_runs_as_owner with (security_invoker) as
select
    'error' as level,
    f.object,
    pg_catalog.format(
        'runs as %s, who sees more rows, and these roles call or trigger it: %s',
        f.owner,
        pg_catalog.string_agg(f.role, ', ' order by f.role)
    ) as detail,
    pg_catalog.format('alter function %s security invoker;', f.object) as remedy
from audit.policy_bypassing_functions as f
where f.runs_as_owner and f.role_oid is not null
group by f.object, f.owner;

comment on view audit.finding_function_runs_as_owner is
    'A login can read or write with the rights of a function''s owner, by calling the function or through a trigger. '
    'Cause: a new SECURITY DEFINER function, which everybody may run by default. Mend: declare SECURITY INVOKER, or '
    'revoke EXECUTE from PUBLIC and drop the trigger.';
