-- Only the number of mails and their age: an auditor sees no user.
create view audit.finding_reminder_unsent with (security_invoker) as
select
    'warning' as level,
    'app.reminders' as object,
    pg_catalog.format(
        'users who wait for a reminder by mail for a day: %s; days since the first: %s', late.mails, late.days
    ) as detail,
    'mend SMTP_URL or the mail server, or the addresses of these users, as last_error in app.reminders says: the rest '
    'follows by itself' as remedy
from (
    select
        pg_catalog.count(*) as mails,
        extract(day from pg_catalog.now() - pg_catalog.min(r.waits_since))::integer as days
    from app.reminders as r
    where r.state = 'WAITING' and r.waits_since < pg_catalog.now() - interval '1 day'
) as late
where late.mails > 0;

comment on view audit.finding_reminder_unsent is
    'Users have not been told of their deadlines for a day: their number, and the days since the first. Comes of a '
    'mail server that is away or refuses, an address that does not exist, or no instance with SMTP_URL. Mend: what '
    'last_error says.';
