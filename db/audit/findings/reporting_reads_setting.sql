create view audit.finding_reporting_reads_setting with (security_invoker) as
select distinct
    'error' as level,
    p.name || ' on ' || p.table_name as object,
    'holds for ' || reach.role || ' and reads a setting through ' || f.name as detail,
    'let it read reporting.grants by session_user' as remedy
from audit.policy_reach as reach
join audit.policies as p on p.oid = reach.oid
join audit.setting_readers as f
    on pg_catalog.concat(p.using_tree::text, p.check_tree::text) ~ (':funcid ' || f.oid || '\M')
where reach.role in ('taxclaims_reporting', 'taxclaims_reporting_all', 'taxclaims_reporting_few');

comment on view audit.finding_reporting_reads_setting is
    'A reporting login can set the setting that the policy reads, and so read any client. Comes of a policy of '
    'requests that was widened to taxclaims_reporting. Mend: read reporting.grants by session_user.';
