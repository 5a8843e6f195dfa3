-- Those of the house have findings of their own (definer_within_reach, definer_search_path).
create view audit.finding_function_runs_as_owner with (security_invoker) as
select
    'error' as level,
    f.object,
    pg_catalog.format(
        'runs as %s, who sees more, and is run or set off by %s',
        f.owner,
        pg_catalog.string_agg(f.role, ', ' order by f.role)
    ) as detail,
    pg_catalog.format('alter function %s security invoker;', f.object) as remedy
from audit.foreign_functions as f
where f.runs_as_owner and f.role_oid is not null
group by f.object, f.owner;

comment on view audit.finding_function_runs_as_owner is
    'A login reads or writes whatever the owner of the function can, past every policy: by calling it, or by writing to a '
    'table whose trigger calls it. Comes of security definer in a function of a superuser''s or of another that sees '
    'more; everybody may run a new function. Mend: security invoker, or revoke execute from public and drop the trigger.';
