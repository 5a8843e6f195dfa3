create view audit.finding_policy_ignores_row with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('%s on %s to %s', p.name, p.table_name, p.roles) as object,
    'does not depend on the row: ' || coalesce(p.using_expression, p.check_expression) as detail,
    'drop the policy or compare a column of the row. If it is intended: audit.accept or db/audit/facts/known.sql' as remedy
from audit.policies as p
where p.permissive
    and 'true' is distinct from p.using_expression
    and 'true' is distinct from p.check_expression
    and not exists (
        select
        from pg_catalog.pg_depend as d
        where d.classid = 'pg_catalog.pg_policy'::regclass
            and d.objid = p.oid
            and d.refclassid = 'pg_catalog.pg_class'::regclass
            and d.refobjid = p.table_oid
            and d.refobjsubid > 0
    );

comment on view audit.finding_policy_ignores_row is
    'The policy gives the same result for every row, as the condition 1 = 1 does. Cause: a condition on the caller '
    'alone. Mend: compare a column of the row, or write the reason into db/audit/facts/known.sql.';
