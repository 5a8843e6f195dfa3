create view audit.finding_policy_to_public with (security_invoker) as
select
    'error' as level,
    p.name || ' on ' || p.table_name as object,
    'the policy applies to every role' as detail,
    pg_catalog.format('name the roles of the policy: alter policy %I on %s to …', p.name, p.table_name) as remedy
from audit.policies as p
where 0 = any (p.role_oids);

comment on view audit.finding_policy_to_public is
    'The policy applies to every role, including roles that are created later. Cause: a CREATE POLICY without TO. '
    'Mend: name the roles.';
