create view audit.finding_table_without_policies with (security_invoker) as
select
    'warning' as level,
    t.name as object,
    'no policy defines who may see a row' as detail,
    'write its file under db/policies/ and run db:migrate' as remedy
from audit.house_tables as t
where not exists (select from audit.policies as p where p.table_oid = t.oid);

comment on view audit.finding_table_without_policies is
    'No role reads the table, and one careless policy would open it to all. Cause: a missing policy file. Mend: write '
    'a file in db/policies, or the reason into db/audit/facts/known.sql.';
