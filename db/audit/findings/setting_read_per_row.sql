-- Outside `(select …)` a setting is read for each row. Postgres records no difference, so this view removes such
-- selects from the expression and looks at the rest. A function with a column as argument runs for each row on purpose.
create view audit.finding_setting_read_per_row with (security_invoker) as
select
    'warning' as level,
    p.name || ' on ' || p.table_name as object,
    'the setting is read for every row: ' || p.expression as detail,
    'write (select app.client_access())::uuid[] in place of the bare call' as remedy
from (
    select
        policy.name,
        policy.table_name,
        part.expression,
        pg_catalog.regexp_replace(part.expression, '\( ?SELECT [a-z_."]+\([^()]*\) AS [a-z_"]+\)', '', 'gi') as rest
    from audit.policies as policy
    cross join lateral (values (policy.using_expression), (policy.check_expression)) as part (expression)
) as p
join audit.setting_readers as f on p.rest ~ ('\m' || f.name || '\((''[^'']*''(::text)?)?\)');

comment on view audit.finding_setting_read_per_row is
    'A setting is read for every row, and no index is used: reads are slow. Comes of a call without its own SELECT. '
    'Mend: (select app.client_access())::uuid[].';
