create view audit.finding_write_without_check with (security_invoker) as
select
    'error' as level,
    p.name || ' on ' || p.table_name as object,
    pg_catalog.lower(p.command) || ' has no with check' as detail,
    pg_catalog.format('say which new rows it lets pass: alter policy %I on %s with check (…)', p.name, p.table_name) as remedy
from audit.policies as p
where p.command in ('INSERT', 'UPDATE', 'ALL') and p.check_expression is null;

comment on view audit.finding_write_without_check is
    'An update can move a row to another tenant. Comes of a policy without WITH CHECK. Mend: write it.';
