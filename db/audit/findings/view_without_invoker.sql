create view audit.finding_view_without_invoker with (security_invoker) as
select
    'error' as level,
    v.name as object,
    'reads ' || pg_catalog.string_agg(distinct v.table_name, ', ') || ' with the rights of its owner' as detail,
    pg_catalog.format('alter view %s set (security_invoker = true);', v.name) as remedy
from audit.views_of_application_tables as v
where v.relkind = 'v'
    and not v.security_invoker
    and (
        exists (select from audit.relation_grantees as r where r.relation_oid = v.oid)
        or exists (
            select
            from pg_catalog.pg_class as c
            join audit.house_schemas as s on s.oid = c.relnamespace
            where c.oid = v.oid
        )
    )
group by v.name;

comment on view audit.finding_view_without_invoker is
    'Readers of the view read its tables with the rights of the view''s owner. Cause: a CREATE VIEW without '
    'security_invoker. Mend: set security_invoker to true.';
