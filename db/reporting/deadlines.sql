-- app.claim_deadlines lists a deadline while its claim has certain statuses, and a task until it is done. Policies of
-- request roles apply to GET /api/deadlines, policies of reporting logins to reporting.deadlines.
create or replace view app.claim_deadlines with (security_invoker) as
select
    d.reclamation_id, d.client_id, d.site_id, d.kind, d.due_on, d.due_at, d.status, d.claim_type, d.tax_year, d.amount,
    case
        when (d.assignee_id, d.client_id) not in (select l.user_id, l.client_id from app.lost_clients as l)
            then d.assignee_id
    end as assignee_id,
    d.note_id, d.missing, d.runs_from
from (
    select
        'claim'::text as kind, r.claim_deadline as due_on,
        null::timestamp with time zone as due_at,
        r.id as reclamation_id, r.client_id, r.site_id, r.status, r.claim_type, r.tax_year, r.amount, r.assignee_id,
        null::uuid as note_id,
        case
            when r.claim_deadline is not null then '{}'::text[]
            when r.deadline_basis is null then '{collection_date}'::text[]
            else '{claim_deadline}'::text[]
        end as missing,
        null::date as runs_from
    from public.reclamations as r
    where r.status = any (array['DRAFT', 'READY_FOR_REVIEW', 'APPROVED']::text[])
    union all
    select
        'response'::text as kind, app.paris_day(r.response_due_at) as due_on,
        r.response_due_at as due_at,
        r.id as reclamation_id, r.client_id, r.site_id, r.status, r.claim_type, r.tax_year, r.amount, r.assignee_id,
        null::uuid as note_id,
        case when r.received_on is null then '{received_on}'::text[] else '{}'::text[] end as missing,
        null::date as runs_from
    from public.reclamations as r
    where r.status = any (array['SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED']::text[])
        and (r.response_due_at is null or r.response_due_at >= app.paris_today()::timestamp without time zone at time zone 'Europe/Paris')
    union all
    select
        'silence'::text as kind, app.paris_day(r.response_due_at) as due_on,
        r.response_due_at as due_at,
        r.id as reclamation_id, r.client_id, r.site_id, r.status, r.claim_type, r.tax_year, r.amount, r.assignee_id,
        null::uuid as note_id,
        case when r.received_on is null then '{received_on}'::text[] else '{}'::text[] end as missing,
        null::date as runs_from
    from public.reclamations as r
    where r.status = any (array['SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED']::text[])
        and r.response_due_at < app.paris_today()::timestamp without time zone at time zone 'Europe/Paris'
    union all
    select
        'regularisation'::text as kind, r.regularisation_due_on as due_on,
        null::timestamp with time zone as due_at,
        r.id as reclamation_id, r.client_id, r.site_id, r.status, r.claim_type, r.tax_year, r.amount, r.assignee_id,
        null::uuid as note_id,
        case when r.regularisation_due_on is null then '{regularisation_asked_on}'::text[] else '{}'::text[] end as missing,
        null::date as runs_from
    from public.reclamations as r
    where r.status = 'REGULARISATION_REQUESTED'
    union all
    select
        'court'::text as kind, r.court_deadline as due_on,
        null::timestamp with time zone as due_at,
        r.id as reclamation_id, r.client_id, r.site_id, r.status, r.claim_type, r.tax_year, r.amount, r.assignee_id,
        null::uuid as note_id,
        case when r.court_deadline is null then '{decision_received_on}'::text[] else '{}'::text[] end as missing,
        null::date as runs_from
    from public.reclamations as r
    where r.status = any (array['REJECTED', 'PARTIALLY_ACCEPTED']::text[]) and r.instance is null
    union all
    select
        'appeal'::text as kind, r.appeal_deadline as due_on,
        null::timestamp with time zone as due_at,
        r.id as reclamation_id, r.client_id, r.site_id, r.status, r.claim_type, r.tax_year, r.amount, r.assignee_id,
        null::uuid as note_id,
        case when r.appeal_deadline is null then '{judgment_notified_on}'::text[] else '{}'::text[] end as missing,
        null::date as runs_from
    from public.reclamations as r
    where r.status = any (array['REJECTED', 'PARTIALLY_ACCEPTED']::text[])
        and r.instance = any (array['TA', 'CAA']::text[])
    union all
    select
        'relief'::text as kind, app.relief_day(r.claim_deadline) as due_on,
        null::timestamp with time zone as due_at,
        r.id as reclamation_id, r.client_id, r.site_id, r.status, r.claim_type, r.tax_year, r.amount, r.assignee_id,
        null::uuid as note_id,
        '{}'::text[] as missing,
        r.claim_deadline as runs_from
    from public.reclamations as r
    where r.status = any (array['DRAFT', 'READY_FOR_REVIEW', 'APPROVED']::text[]) and r.claim_deadline < app.paris_today()
    union all
    select
        'relief'::text as kind, app.relief_day(r.claim_deadline) as due_on,
        null::timestamp with time zone as due_at,
        r.id as reclamation_id, r.client_id, r.site_id, r.status, r.claim_type, r.tax_year, r.amount, r.assignee_id,
        null::uuid as note_id,
        case
            when r.claim_deadline is not null then '{}'::text[]
            when r.deadline_basis is null then '{collection_date}'::text[]
            else '{claim_deadline}'::text[]
        end as missing,
        r.claim_deadline as runs_from
    from public.reclamations as r
    where r.status = 'REJECTED'
    union all
    select
        'task'::text as kind, n.due_on,
        null::timestamp with time zone as due_at,
        n.reclamation_id, n.client_id, r.site_id, r.status, r.claim_type, r.tax_year, r.amount, n.assignee_id,
        n.id as note_id,
        '{}'::text[] as missing,
        null::date as runs_from
    from public.notes as n
    -- Without `offset 0`, Postgres could test a query's condition on claims that have no task and raise an error.
    cross join lateral (
        select c.site_id, c.status, c.claim_type, c.tax_year, c.amount
        from public.reclamations as c
        where c.id = n.reclamation_id
        offset 0
    ) as r
    where n.due_on is not null and n.done_at is null
) as d;

comment on view app.claim_deadlines is
    'Deadlines of claims, running or missed, and open tasks. '
    'GET /api/deadlines and reporting.deadlines read this view.';
comment on column app.claim_deadlines.reclamation_id is 'The claim.';
comment on column app.claim_deadlines.kind is
    'Kind of the deadline: claim (last day to claim), response (day by which the administration must answer, until that '
    'day), silence (the response day, once it passed without an answer), regularisation (last day to complete the claim), court '
    '(last day to go to court), appeal (last day to go to the next court), relief (last day on which the '
    'administration may grant relief of its own motion) or task (last day of a task).';
comment on column app.claim_deadlines.due_on is
    'Last day of the deadline or the task, in Europe/Paris; null if it is not known.';
comment on column app.claim_deadlines.assignee_id is
    'User who works on the claim or the task; null if nobody is assigned.';
comment on column app.claim_deadlines.note_id is 'Note that is the task; null for the other kinds of deadlines.';
comment on column app.claim_deadlines.due_at is
    'Exact time of a deadline of the kinds response and silence; null for the other kinds.';
comment on column app.claim_deadlines.missing is
    'Fields of the claim without which due_on is null, or an estimate; empty if the day is known.';
comment on column app.claim_deadlines.runs_from is
    'Claim deadline from which a relief is counted, for conditions that use an index; null for the other kinds.';
grant select on app.claim_deadlines to taxclaims_client, taxclaims_admin, taxclaims_reporting;

create or replace view reporting.deadlines with (security_invoker) as
select
    d.reclamation_id, d.client_id, d.site_id, d.kind, d.due_on,
    d.due_on - app.paris_today() as days_left,
    d.status, d.claim_type, d.tax_year, d.amount, d.note_id, d.missing, d.assignee_id
from app.claim_deadlines as d;

comment on view reporting.deadlines is
    'Deadlines of claims, running or missed, and open tasks. The dates are not legal advice.';
comment on column reporting.deadlines.due_on is
    'Last day of the deadline or the task; null if it is not known. Joins reporting.calendar.day.';
comment on column reporting.deadlines.days_left is
    'Days from today in Europe/Paris until due_on; negative after that day, null without it.';
comment on column reporting.deadlines.status is
    'Status of the claim. Join reporting.statuses on status and record = ''reclamation''.';
comment on column reporting.deadlines.missing is
    'Fields of the claim without which due_on is null, or an estimate; empty if the day is known.';
grant select on reporting.deadlines to taxclaims_reporting;
