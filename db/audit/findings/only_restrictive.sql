create view audit.finding_only_restrictive with (security_invoker) as
select
    'warning' as level,
    pg_catalog.format('%s of %s by %s', pg_catalog.lower(p.command), p.table_name, p.role) as object,
    'only restrictive policies: ' || pg_catalog.string_agg(p.name, ', ' order by p.name) as detail,
    'add the permissive policy that these should narrow' as remedy
from audit.policies_by_role_and_command as p
group by p.command, p.table_name, p.role
having not pg_catalog.bool_or(p.permissive);

comment on view audit.finding_only_restrictive is
    'A role sees no row of a table, because it has restrictive policies but no permissive policy. Cause: a missing '
    'permissive policy. Mend: write a permissive policy.';
