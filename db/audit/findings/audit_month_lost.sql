create view audit.finding_audit_month_lost with (security_invoker) as
-- Postgres counts the records of each month once, and not once for each part of the view.
with m as materialized (
    select * from audit.months
)
select
    'error' as level,
    'audit log of ' || pg_catalog.to_char(m.month, 'YYYY-MM') as object,
    pg_catalog.format('%s records are missing that were counted or archived', m.missing) as detail,
    'find out who deleted the records, read them in a backup or an archive, then audit.accept the loss' as remedy
from m
where m.missing > 0
union all
select
    'error',
    'app.audit_days',
    pg_catalog.format('the counts of %s days are missing', all_.expected - all_.days),
    'find out who deleted the counts: lost audit records of these days cannot be noticed any more. Then audit.accept the loss'
from (
    select
        pg_catalog.max(m.ends) - pg_catalog.min(m.begins) as expected,
        pg_catalog.sum(m.days) as days
    from m
) as all_
where all_.days < all_.expected;

comment on view audit.finding_audit_month_lost is
    'Records of the audit log, or rows of app.audit_days, are lost. Cause: somebody dropped, detached or emptied a '
    'partition, or disabled triggers. Mend: look for the records in a backup or an archive, then accept the loss.';
