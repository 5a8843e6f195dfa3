-- A setting that is read outside a `(select …)` of its own is read again for every row. Postgres keeps no record
-- of that difference, so this one reads the expression: what is left once every such select is taken out.
-- A function that is given a column of the row is asked for every row on purpose.
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
    'The setting is read for every row instead of once, and the index is not used: reads become as slow as the table '
    'is large. Comes of a call without its own select. Mend: (select app.client_access())::uuid[].';
