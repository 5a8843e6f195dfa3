-- DELETE knows no columns.
create view audit.finding_table_wide_grant with (security_invoker) as
select
    'error' as level,
    r.object,
    pg_catalog.format('%s of every column, also of those to come, is held by %s', r.privilege, r.grantee) as detail,
    r.statement as remedy
from audit.revocations as r
where r.kind = 'table'
    and r.column_name is null
    and r.privilege in ('SELECT', 'INSERT', 'UPDATE')
    -- Whoever is none of the house, and an API that holds any right to a table, have findings of their own.
    and r.grantee <> 'taxclaims_api'
    and exists (select from audit.house_roles as h where h.oid = r.grantee_oid);

comment on view audit.finding_table_wide_grant is
    'A column added tomorrow can be read or written from its first moment on. Comes of a grant without a list of '
    'columns. Mend: revoke it and grant the columns.';
