-- The view returns the number and age of unsent mails only, because auditors may not see users.
create view audit.finding_reminder_unsent with (security_invoker) as
select
    'warning' as level,
    'app.reminders' as object,
    pg_catalog.format(
        'users who have waited for a reminder by mail for a day: %s; days since the first: %s', late.mails, late.days
    ) as detail,
    'correct SMTP_URL, the mail server or the addresses of these users, as last_error in app.reminders says. The service '
    'then retries' as remedy
from (
    select
        pg_catalog.count(*) as mails,
        extract(day from pg_catalog.now() - pg_catalog.min(r.waits_since))::integer as days
    from app.reminders as r
    where r.state = 'WAITING' and r.waits_since < pg_catalog.now() - interval '1 day'
) as late
where late.mails > 0;

comment on view audit.finding_reminder_unsent is
    'Users have had no reminder of their deadlines for a day. The detail gives the number of users who wait and the '
    'days since the first missing reminder. Cause: a mail server that is unreachable or rejects mails, an invalid '
    'address, or no service instance with SMTP_URL. Mend: read last_error in app.reminders.';
