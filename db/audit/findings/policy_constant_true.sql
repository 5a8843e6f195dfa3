create view audit.finding_policy_constant_true with (security_invoker) as
select
    'error' as level,
    pg_catalog.format('%s on %s to %s', p.name, p.table_name, p.roles) as object,
    case when p.using_expression = 'true' then 'allows every row: using (true)' else 'allows every new row: with check (true)' end
        as detail,
    'drop the policy or write a condition. If it is intended: audit.accept or db/audit/facts/known.sql' as remedy
from audit.policies as p
where p.permissive and 'true' in (p.using_expression, p.check_expression);

comment on view audit.finding_policy_constant_true is
    'The policy allows every row of every tenant. Cause: using (true) or with check (true). Mend: write a condition '
    'on the row, or write the reason into db/audit/facts/known.sql.';
