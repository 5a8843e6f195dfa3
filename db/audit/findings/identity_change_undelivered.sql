-- What the identity provider was to be told a day ago and does not know: its tokens go on saying the old rights, and are
-- refused. How many changes that are, and of whom none: an auditor reads this, and users are their tenants' business.
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
    'For a day the identity provider could not be told of changes of rights: how many, and how many days the oldest has '
    'waited. Comes of an outage, of a credential that it refuses, or of users whom it does not know. Mend: what the '
    'last error of each says; npm run identity:sync compares all.';
