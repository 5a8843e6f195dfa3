create view audit.finding_policy_to_public with (security_invoker) as
select
    'error' as level,
    p.name || ' on ' || p.table_name as object,
    'the policy is for everybody' as detail,
    pg_catalog.format('name the roles it is meant for: alter policy %I on %s to …', p.name, p.table_name) as remedy
from audit.policies as p
where 0 = any (p.role_oids);

comment on view audit.finding_policy_to_public is
    'The policy holds for every role, also for roles made later. Comes of CREATE POLICY without TO. Mend: name the '
    'roles.';
