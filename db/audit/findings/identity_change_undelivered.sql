-- Only the number of changes and their age: an auditor sees no user.
create view audit.finding_identity_change_undelivered with (security_invoker) as
select
    'warning' as level,
    'public.identity_changes' as object,
    pg_catalog.format(
        'changes of rights that the identity provider has not been told for a day: %s; days since the oldest: %s',
        late.changes,
        late.days
    ) as detail,
    'mend at the provider, or in AUTH_MANAGEMENT_…, what GET /api/identity-changes says of each: the rest follows by '
    'itself' as remedy
from (
    select
        pg_catalog.count(*) as changes,
        extract(day from pg_catalog.now() - pg_catalog.min(c.created_at))::integer as days
    from public.identity_changes as c
    where c.delivered_at is null and c.created_at < pg_catalog.now() - interval '1 day'
) as late
where late.changes > 0;

comment on view audit.finding_identity_change_undelivered is
    'The provider does not know changes of rights that are a day old: their number, and the age of the oldest in '
    'days. Comes of an outage, a refused credential, or users unknown to the provider. Mend: the last error of each; '
    'npm run identity:sync compares all.';
