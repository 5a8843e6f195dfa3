create view audit.finding_policy_column_without_index with (security_invoker) as
select
    'warning' as level,
    pg_catalog.format('%s.%I', p.table_name, a.attname) as object,
    'no index begins with this column; these policies compare it: ' || pg_catalog.string_agg(p.name, ', ' order by p.name) as detail,
    pg_catalog.format('create index on %s (%I);', p.table_name, a.attname) as remedy
from audit.policies as p
join pg_catalog.pg_depend as d
    on d.classid = 'pg_catalog.pg_policy'::regclass
    and d.objid = p.oid
    and d.refclassid = 'pg_catalog.pg_class'::regclass
    and d.refobjid = p.table_oid
    and d.refobjsubid > 0
join pg_catalog.pg_attribute as a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
where p.command <> 'INSERT'
    and not exists (
        select
        from pg_catalog.pg_index as i
        where i.indrelid = p.table_oid
            and i.indisvalid
            and (
                i.indkey[0] = a.attnum
                or pg_catalog.pg_get_expr(i.indpred, i.indrelid) ~ ('\m' || a.attname || '\M')
            )
    )
group by p.table_name, a.attname;

comment on view audit.finding_policy_column_without_index is
    'Every query of the table reads the rows of all tenants, because a column that a policy compares has no index. '
    'Cause: a new policy, or a dropped index. Mend: create an index that begins with the column.';
