-- The view returns the number and age of undelivered changes only, because auditors may not see users.
create view audit.finding_identity_change_undelivered with (security_invoker) as
select
    'warning' as level,
    'public.identity_changes' as object,
    pg_catalog.format(
        'changes of rights not delivered to the identity provider for a day: %s; days since the oldest: %s',
        late.changes,
        late.days
    ) as detail,
    'read the error of each change in GET /api/identity-changes, and correct the provider or AUTH_MANAGEMENT_…. The service '
    'then retries' as remedy
from (
    select
        pg_catalog.count(*) as changes,
        extract(day from pg_catalog.now() - pg_catalog.min(c.created_at))::integer as days
    from public.identity_changes as c
    where c.delivered_at is null and c.created_at < pg_catalog.now() - interval '1 day'
) as late
where late.changes > 0;

comment on view audit.finding_identity_change_undelivered is
    'Changes of user rights have not reached the identity provider for a day. The detail gives the number of '
    'undelivered changes and the age of the oldest in days. Cause: an outage, a refused credential, or users that the '
    'provider does not know. Mend: read last_error in public.identity_changes; npm run identity:sync compares all '
    'users with the provider.';
