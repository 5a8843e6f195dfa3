-- DELETE has no columns.
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
    -- Findings rights_outside_house and api_holds_rights.
    and r.grantee <> 'taxclaims_api'
    and exists (select from audit.house_roles as h where h.oid = r.grantee_oid);

comment on view audit.finding_table_wide_grant is
    'The right covers columns that are added later. Comes of a grant without columns. Mend: revoke it, and grant the '
    'columns.';
