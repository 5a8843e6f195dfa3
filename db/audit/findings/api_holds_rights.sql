create view audit.finding_api_holds_rights with (security_invoker) as
select
    'error' as level,
    r.object,
    pg_catalog.format('%s is granted to %s', r.privilege, r.grantee) as detail,
    r.statement as remedy
from audit.revoke_statements as r
where r.grantee = 'taxclaims_api'
    and r.kind in ('table', 'view', 'sequence')
    and r.privilege not in ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN');

comment on view audit.finding_api_holds_rights is
    'The API''s login can use a table without SET ROLE, so the policies of request roles do not apply. Cause: a grant '
    'to taxclaims_api. Mend: revoke the grant.';
