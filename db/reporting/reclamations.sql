create or replace view reporting.reclamations with (security_invoker) as
select
    r.id, r.client_id, r.site_id, r.claim_type, r.amount, r.status, r.tax_year, r.commune_code, r.notice_reference,
    r.collection_date, r.claim_deadline, r.submitted_at, r.response_due_at, r.decision_date, r.court_deadline,
    r.granted_amount, r.refund_amount, r.grounds, r.created_at, r.updated_at,
    case
        when (r.assignee_id, r.client_id) not in (select l.user_id, l.client_id from app.lost_clients as l)
            then r.assignee_id
    end as assignee_id,
    r.deadline_basis, r.received_on, r.response_extended,
    r.regularisation_asked_on, r.regularisation_due_on, r.decision_received_on, r.instance, r.judgment_notified_on,
    r.appeal_deadline, r.refund_interest, r.status_reason, r.submitted_amount,
    r.received_on is null and r.submitted_at is not null as response_is_estimate
from public.reclamations as r;

comment on column reporting.reclamations.status is 'Join reporting.statuses on status and record = ''reclamation''.';
comment on column reporting.reclamations.response_is_estimate is
    'True while received_on is unknown: response_due_at is then counted from submitted_at, and is an estimate.';
grant select on reporting.reclamations to taxclaims_reporting;
