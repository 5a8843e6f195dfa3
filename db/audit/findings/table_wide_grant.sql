-- The view leaves out DELETE, because Postgres can grant DELETE only on a whole table.
create view audit.finding_table_wide_grant with (security_invoker) as
select
    'error' as level,
    r.object,
    pg_catalog.format('%s on every column, including later ones, is granted to %s', r.privilege, r.grantee) as detail,
    r.statement as remedy
from audit.revoke_statements as r
where r.kind = 'table'
    and r.column_name is null
    and r.privilege in ('SELECT', 'INSERT', 'UPDATE')
    -- The audit finding rights_outside_house reports grants to roles outside this application; api_holds_rights reports
    -- grants to taxclaims_api.
    and r.grantee <> 'taxclaims_api'
    and exists (select from audit.house_roles as h where h.oid = r.grantee_oid);

comment on view audit.finding_table_wide_grant is
    'A right to a whole table also covers columns that are added later. Cause: a grant without columns. Mend: revoke '
    'the right, and grant it on single columns.';
