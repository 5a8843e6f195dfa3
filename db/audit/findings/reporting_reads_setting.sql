create view audit.finding_reporting_reads_setting with (security_invoker) as
select distinct
    'error' as level,
    p.name || ' on ' || p.table_name as object,
    'applies to ' || reach.role || ' and reads a setting through ' || f.name as detail,
    'compare reporting.grants with session_user instead' as remedy
from audit.policies_by_role_and_command as reach
join audit.policies as p on p.oid = reach.oid
join audit.setting_readers as f
    on pg_catalog.concat(p.using_tree::text, p.check_tree::text) ~ (':funcid ' || f.oid || '\M')
where reach.role in ('taxclaims_reporting', 'taxclaims_reporting_all', 'taxclaims_reporting_few');

comment on view audit.finding_reporting_reads_setting is
    'A policy for reporting logins reads a setting, which a login can change to read any client. Cause: a policy for '
    'requests that was extended to taxclaims_reporting. Mend: compare reporting.grants with session_user.';
