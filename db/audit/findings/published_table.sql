-- A publication sends whole tables to whoever subscribes: no policy holds on the way.
create view audit.finding_published_table with (security_invoker) as
select
    'warning' as level,
    pg_catalog.format('%I.%I', p.schemaname, p.tablename) as object,
    'is sent out by the publication ' || p.pubname as detail,
    pg_catalog.format('drop publication %I;  -- or see to it that the subscriber keeps the same policies', p.pubname) as remedy
from pg_catalog.pg_publication_tables as p
join audit.house_schemas as s on s.name = p.schemaname;

comment on view audit.finding_published_table is
    'Whoever subscribes gets whole tables, without a policy. Comes of create publication for replication or a change '
    'feed. Mend: drop it, or protect the subscriber in the same way.';
