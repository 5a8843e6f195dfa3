-- Materialized views and foreign tables know no row-level security: a copy of a protected table is open to
-- whoever may read it, and so is a foreign table.
create view audit.finding_copy_within_reach with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
    pg_catalog.format(
        '%s: policies do not hold on it',
        case c.relkind when 'm' then 'a materialized view' else 'a foreign table' end
    ) as detail,
    pg_catalog.format('revoke all on %I.%I from those who are no administrators, or drop it', n.nspname, c.relname) as remedy
from pg_catalog.pg_class as c
join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
where c.relkind in ('m', 'f')
    and (
        exists (select from audit.reading_relations as r where r.oid = c.oid)
        or exists (
            select
            from audit.house_roles as h
            where h.purpose <> 'back'
                and (
                    pg_catalog.has_table_privilege(h.oid, c.oid, 'SELECT, INSERT, UPDATE, DELETE')
                    or pg_catalog.has_any_column_privilege(h.oid, c.oid, 'SELECT, INSERT, UPDATE')
                )
        )
    );

comment on view audit.finding_copy_within_reach is
    'Rows of tenants can be read past every policy, from a materialized view or through a foreign table. Comes of a '
    'copy made for speed, or of a foreign server. Mend: drop it, or revoke it from everybody but administrators.';
