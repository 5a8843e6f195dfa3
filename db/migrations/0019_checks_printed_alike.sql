-- The same conditions in words that Postgres prints alike before a dump and after its restore, so that a restored
-- database is no drift: of `in (…)` on a varchar it prints the cast of the list, and parses that as casts of its members.
alter table public.reclamations
    drop constraint reclamations_claim_type_known,
    add constraint reclamations_claim_type_known check (claim_type::text = any (array['TF', 'CFE'])),
    drop constraint reclamations_status_known,
    add constraint reclamations_status_known check (
        status::text = any (array[
            'DRAFT', 'READY_FOR_REVIEW', 'APPROVED', 'SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED',
            'ACCEPTED', 'PARTIALLY_ACCEPTED', 'REJECTED', 'LITIGATION', 'REFUNDED', 'WITHDRAWN', 'CLOSED'
        ])
    );

alter table public.factures
    drop constraint factures_status_known,
    add constraint factures_status_known check (
        status::text = any (array['DRAFT', 'ISSUED', 'PAID', 'CANCELLED'])
    );

alter table public.partner_invoices
    drop constraint partner_invoices_status_known,
    add constraint partner_invoices_status_known check (
        status::text = any (array['RECEIVED', 'VALIDATED', 'PAID', 'DISPUTED'])
    );
