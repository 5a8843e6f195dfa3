-- What the days of a claim follow from, and the days themselves. The release before knows none of them: each is null or has
-- a default of one moment, so that no table is rewritten.
alter table public.reclamations
    add column deadline_basis character varying(20),
    add column received_on date,
    add column response_extended boolean not null default false,
    add column regularisation_asked_on date,
    add column regularisation_due_on date,
    add column decision_received_on date,
    add column instance character varying(3),
    add column judgment_notified_on date,
    add column appeal_deadline date,
    add column refund_interest numeric(10, 2),
    add column status_reason text,
    add constraint reclamations_deadline_basis_known check (
        deadline_basis::text = any (array['EVENT', 'NEW_NOTICE', 'KNOWLEDGE', 'PAYMENT', 'VACANCY', 'REASSESSMENT'])
    ) not valid,
    add constraint reclamations_instance_known check (instance::text = any (array['TA', 'CAA', 'CE'])) not valid,
    add constraint reclamations_refund_interest_range check (refund_interest between 0 and 99999999.99) not valid,
    add constraint reclamations_status_reason_bounded check (
        pg_catalog.btrim(status_reason) <> '' and pg_catalog.length(status_reason) <= 1000
    ) not valid;
