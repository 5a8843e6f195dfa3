create view audit.finding_privilege_beyond_policies with (security_invoker) as
select
    'error' as level,
    r.object,
    pg_catalog.format('%s is granted to %s', r.privilege, r.grantee) as detail,
    r.statement as remedy
from audit.revoke_statements as r
where r.kind in ('table', 'view') and r.privilege in ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN');

comment on view audit.finding_privilege_beyond_policies is
    'TRUNCATE ignores policies, REFERENCES shows which keys exist, TRIGGER runs code when other roles write. Cause: '
    'GRANT ALL. Mend: revoke TRUNCATE, REFERENCES and TRIGGER.';
