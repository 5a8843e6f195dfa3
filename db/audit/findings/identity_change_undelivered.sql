-- What the identity provider was to be told a day ago and does not know: its tokens go on saying the old rights, and are
-- refused. One row for each user, by the change that waits longest.
create view audit.finding_identity_change_undelivered with (security_invoker) as
select distinct on (c.user_id)
    'warning' as level,
    pg_catalog.format('user %s', c.user_id) as object,
    pg_catalog.format(
        'the identity provider does not know the rights that were changed on %s',
        pg_catalog.to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD')
    ) as detail,
    'mend at the provider, or in AUTH_MANAGEMENT_…, what GET /api/identity-changes says of it: the rest follows by '
    'itself' as remedy
from public.identity_changes as c
where c.delivered_at is null and c.created_at < pg_catalog.now() - interval '1 day'
order by c.user_id, c.created_at;

comment on view audit.finding_identity_change_undelivered is
    'For a day the identity provider could not be told of a change of rights. Comes of an outage, of a credential that '
    'it refuses, or of a user whom it does not know. Mend: what the last error says; npm run identity:sync compares all.';
