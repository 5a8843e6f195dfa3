create view audit.finding_several_permissive with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('%s of %s by %s', pg_catalog.lower(p.command), p.table_name, p.role) as object,
    'permissive policies: ' || pg_catalog.string_agg(p.name, ', ' order by p.name) as detail,
    'make them one, or drop the one that was not meant' as remedy
from audit.policy_reach as p
where p.permissive
    -- taxclaims_api: finding api_inherits.
    and p.role <> 'taxclaims_api'
group by p.command, p.table_name, p.role
having pg_catalog.count(*) > 1;

comment on view audit.finding_several_permissive is
    'Two permissive policies are joined by OR: the wider one decides. Comes of a policy added beside another. Mend: '
    'make them one.';
