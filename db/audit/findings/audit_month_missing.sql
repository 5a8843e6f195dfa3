-- The service makes the months of the audit log ahead. Where the next one is missing, nobody has for some time; where
-- records stand beside the months, they were written when there was none for them.
create view audit.finding_audit_month_missing with (security_invoker) as
select
    'warning' as level,
    'month_' || pg_catalog.to_char(wanted.begins, 'YYYY_MM') as object,
    'the audit log has no part for it: records of it go to audit_log.other' as detail,
    'select app.place_audit_records(); and npm run db:migrate; find out why the service did not make it' as remedy
from (
    select pg_catalog.date_trunc('month', pg_catalog.now() at time zone 'UTC') + pg_catalog.make_interval(months => n.number) as begins
    from pg_catalog.generate_series(0, 1) as n (number)
) as wanted
where not exists (
    select
    from pg_catalog.pg_inherits as i
    join pg_catalog.pg_class as c on c.oid = i.inhrelid
    where i.inhparent = pg_catalog.to_regclass('audit_log.months')
        and (
            c.relname = 'month_' || pg_catalog.to_char(wanted.begins, 'YYYY_MM')
            or (
                c.relname = 'earlier'
                and pg_catalog.substring(pg_catalog.pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''')::timestamptz
                    > wanted.begins at time zone 'UTC'
            )
        )
)
union all
select
    'warning',
    'audit_log.other',
    'holds records, or did, for which no month was made in time: it is read with every list, and no archive has them',
    'select app.place_audit_records();'
where pg_catalog.pg_relation_size(pg_catalog.to_regclass('audit_log.other')) > 0;

comment on view audit.finding_audit_month_missing is
    'Records of the audit log have no month to go to. Comes of a service that was off for months, of a clock that was '
    'wrong, or of a lock on the log that nobody lets go. Mend: app.place_audit_records, as a member of taxclaims_owner.';
