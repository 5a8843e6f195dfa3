create view audit.finding_write_without_check with (security_invoker) as
select
    'error' as level,
    p.name || ' on ' || p.table_name as object,
    pg_catalog.lower(p.command) || ' has no with check' as detail,
    pg_catalog.format('define which new rows are allowed: alter policy %I on %s with check (…)', p.name, p.table_name) as remedy
from audit.policies as p
where p.command in ('INSERT', 'UPDATE', 'ALL') and p.check_expression is null;

comment on view audit.finding_write_without_check is
    'An update can move a row to another tenant. Cause: a policy without WITH CHECK. Mend: add WITH CHECK to the '
    'policy.';
