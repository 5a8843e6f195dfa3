-- The deadlines that run for the granted clients' claims, one row each: until when a claim must be made, until when the
-- administration has to answer, and until when the court can be asked. Each runs in its statuses alone: what was done,
-- or cannot be done any more, has no deadline. Days are counted in UTC.

create or replace view reporting.deadlines with (security_invoker) as
select
    r.id as reclamation_id,
    r.client_id,
    r.site_id,
    d.kind,
    d.due_on,
    d.due_on - (pg_catalog.now() at time zone 'UTC')::date as days_left,
    r.status,
    r.claim_type,
    r.tax_year,
    r.amount
from public.reclamations as r
cross join lateral (
    values
        ('claim', r.claim_deadline, array['DRAFT', 'READY_FOR_REVIEW', 'APPROVED']),
        (
            'response',
            (r.response_due_at at time zone 'UTC')::date,
            array['SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED']
        ),
        ('court', r.court_deadline, array['REJECTED', 'PARTIALLY_ACCEPTED'])
) as d (kind, due_on, statuses)
where d.due_on is not null
    and r.status = any (d.statuses);

comment on view reporting.deadlines is 'Deadlines of claims that are still running, or have passed unused. Not legal advice.';
comment on column reporting.deadlines.reclamation_id is 'Joins reporting.reclamations.id.';
comment on column reporting.deadlines.client_id is 'Joins reporting.clients.id.';
comment on column reporting.deadlines.site_id is 'Joins reporting.sites.id.';
comment on column reporting.deadlines.kind is
    'claim: the claim is not made yet; response: the administration has it; court: it was rejected, at least in part.';
comment on column reporting.deadlines.due_on is 'The last day. Joins reporting.calendar.day.';
comment on column reporting.deadlines.days_left is 'Negative once it has passed.';

grant select on reporting.deadlines to taxclaims_reporting;
