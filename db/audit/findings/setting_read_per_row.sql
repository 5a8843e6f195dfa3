-- A policy reads a setting once per query inside `(select …)`, and once per row outside. The view removes each `(select
-- …)` from the policy's expression and searches the rest for functions that read a setting. The view does not report a
-- function with a column as argument, because such a function must run for each row.
create view audit.finding_setting_read_per_row with (security_invoker) as
with p as materialized (
    select
        policy.name,
        policy.table_name,
        part.expression,
        pg_catalog.regexp_replace(part.expression, '\( ?SELECT [a-z_."]+\([^()]*\) AS [a-z_"]+\)', '', 'gi') as rest
    from audit.policies as policy
    cross join lateral (values (policy.using_expression), (policy.check_expression)) as part (expression)
)
select
    'warning' as level,
    p.name || ' on ' || p.table_name as object,
    'the setting is read for every row: ' || p.expression as detail,
    'write (select app.client_access())::uuid[] instead of the call alone' as remedy
from p
-- strpos is cheap and excludes most policies before the slower regular expression runs.
join audit.setting_readers as f
    on pg_catalog.strpos(p.rest, f.name || '(') > 0
    and p.rest ~ ('\m' || f.name || '\((''[^'']*''(::text)?)?\)');

comment on view audit.finding_setting_read_per_row is
    'A policy reads a setting for every row and cannot use an index, so queries are slow. Cause: a policy that calls '
    'current_setting without `(select …)` around the call. Mend: write (select app.client_access())::uuid[].';
