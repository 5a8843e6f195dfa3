create view audit.finding_reporting_reads_setting with (security_invoker) as
with p as materialized (
    select distinct
        reach.role, p.name, p.table_name, pg_catalog.concat(p.using_tree::text, p.check_tree::text) as trees
    from audit.policies_by_role_and_command as reach
    join audit.policies as p on p.oid = reach.oid
    where reach.role in ('taxclaims_reporting', 'taxclaims_reporting_all', 'taxclaims_reporting_few')
), f as materialized (
    select r.oid, r.name from audit.setting_readers as r
)
select distinct
    'error' as level,
    p.name || ' on ' || p.table_name as object,
    'applies to ' || p.role || ' and reads a setting through ' || f.name as detail,
    'compare reporting.grants with session_user instead' as remedy
from p
join f on pg_catalog.strpos(p.trees, ':funcid ' || f.oid || ' ') > 0;

comment on view audit.finding_reporting_reads_setting is
    'A policy for reporting logins reads a setting, which a login can change to read any client. Cause: a policy for '
    'requests that was extended to taxclaims_reporting. Mend: compare reporting.grants with session_user.';
