-- app.claim_deadlines lists a deadline while its claim has certain statuses, and a task until it is done. Policies of
-- request roles apply to GET /api/deadlines, policies of reporting logins to reporting.deadlines.
create or replace view app.claim_deadlines with (security_invoker) as
select
    r.id as reclamation_id,
    r.client_id, r.site_id,
    'claim' as kind,
    r.claim_deadline as due_on,
    null::timestamp with time zone as due_at,
    r.status, r.claim_type, r.tax_year, r.amount,
    case
        when (r.assignee_id, r.client_id) not in (select l.user_id, l.client_id from app.lost_clients as l)
            then r.assignee_id
    end as assignee_id,
    null::uuid as note_id
from public.reclamations as r
where r.claim_deadline is not null
    and r.status = any (array['DRAFT', 'READY_FOR_REVIEW', 'APPROVED']::text[])
union all
select
    r.id as reclamation_id,
    r.client_id, r.site_id,
    'response' as kind,
    (r.response_due_at at time zone 'UTC')::date as due_on,
    r.response_due_at as due_at,
    r.status, r.claim_type, r.tax_year, r.amount,
    case
        when (r.assignee_id, r.client_id) not in (select l.user_id, l.client_id from app.lost_clients as l)
            then r.assignee_id
    end as assignee_id,
    null::uuid as note_id
from public.reclamations as r
where r.response_due_at is not null
    and r.status = any (array['SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED']::text[])
union all
select
    r.id as reclamation_id,
    r.client_id, r.site_id,
    'court' as kind,
    r.court_deadline as due_on,
    null::timestamp with time zone as due_at,
    r.status, r.claim_type, r.tax_year, r.amount,
    case
        when (r.assignee_id, r.client_id) not in (select l.user_id, l.client_id from app.lost_clients as l)
            then r.assignee_id
    end as assignee_id,
    null::uuid as note_id
from public.reclamations as r
where r.court_deadline is not null
    and r.status = any (array['REJECTED', 'PARTIALLY_ACCEPTED']::text[])
union all
select
    n.reclamation_id,
    n.client_id, r.site_id,
    'task' as kind,
    n.due_on,
    null::timestamp with time zone as due_at,
    r.status, r.claim_type, r.tax_year, r.amount,
    case
        when (n.assignee_id, n.client_id) not in (select l.user_id, l.client_id from app.lost_clients as l)
            then n.assignee_id
    end as assignee_id,
    n.id as note_id
from public.notes as n
-- Without `offset 0`, Postgres could test a query's condition on claims that have no task and raise an error.
cross join lateral (
    select c.site_id, c.status, c.claim_type, c.tax_year, c.amount
    from public.reclamations as c
    where c.id = n.reclamation_id
    offset 0
) as r
where n.due_on is not null and n.done_at is null;

comment on view app.claim_deadlines is
    'Deadlines of claims, running or missed, and open tasks. '
    'GET /api/deadlines and reporting.deadlines read this view.';
comment on column app.claim_deadlines.reclamation_id is 'The claim.';
comment on column app.claim_deadlines.kind is
    'Kind of the deadline: claim (last day to claim), response (day by which the administration must answer), court '
    '(last day to go to court) or task (last day of a task).';
comment on column app.claim_deadlines.due_on is 'Last day of the deadline or the task, in UTC.';
comment on column app.claim_deadlines.assignee_id is
    'User who works on the claim or the task; null if nobody is assigned.';
comment on column app.claim_deadlines.note_id is 'Note that is the task; null for the other kinds of deadlines.';
comment on column app.claim_deadlines.due_at is
    'Exact time of a deadline of the kind response; null for the other kinds.';
grant select on app.claim_deadlines to taxclaims_client, taxclaims_admin, taxclaims_reporting;

create or replace view reporting.deadlines with (security_invoker) as
select
    d.reclamation_id, d.client_id, d.site_id, d.kind, d.due_on,
    d.due_on - (pg_catalog.now() at time zone 'UTC')::date as days_left,
    d.status, d.claim_type, d.tax_year, d.amount, d.note_id
from app.claim_deadlines as d;

comment on view reporting.deadlines is
    'Deadlines of claims, running or missed, and open tasks. The dates are not legal advice.';
comment on column reporting.deadlines.due_on is 'Last day of the deadline or the task. Joins reporting.calendar.day.';
comment on column reporting.deadlines.days_left is 'Days until due_on; negative after that day.';
comment on column reporting.deadlines.status is
    'Status of the claim. Join reporting.statuses on status and record = ''reclamation''.';
grant select on reporting.deadlines to taxclaims_reporting;
