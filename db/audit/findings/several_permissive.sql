create view audit.finding_several_permissive with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('%s of %s by %s', pg_catalog.lower(p.command), p.table_name, p.role) as object,
    'permissive policies: ' || pg_catalog.string_agg(p.name, ', ' order by p.name) as detail,
    'merge the policies into one, or drop the wrong one' as remedy
from audit.policies_by_role_and_command as p
where p.permissive
    -- The audit finding api_inherits reports policies that taxclaims_api inherits.
    and p.role <> 'taxclaims_api'
group by p.command, p.table_name, p.role
having pg_catalog.count(*) > 1;

comment on view audit.finding_several_permissive is
    'Postgres joins two permissive policies by OR, so the wider policy decides. Cause: a second policy for the same '
    'command. Mend: merge the policies into one.';
