create or replace view reporting.statuses with (security_invoker) as
select
    s.record, s.status, s.position, s.is_final
from (
    values
        ('reclamation', 'DRAFT', 1, false),
        ('reclamation', 'READY_FOR_REVIEW', 2, false),
        ('reclamation', 'APPROVED', 3, false),
        ('reclamation', 'SUBMITTED', 4, false),
        ('reclamation', 'REGULARISATION_REQUESTED', 5, false),
        ('reclamation', 'ACKNOWLEDGED', 6, false),
        ('reclamation', 'REJECTED', 7, false),
        ('reclamation', 'PARTIALLY_ACCEPTED', 8, false),
        ('reclamation', 'LITIGATION', 9, false),
        ('reclamation', 'ACCEPTED', 10, false),
        ('reclamation', 'REFUNDED', 11, false),
        ('reclamation', 'WITHDRAWN', 12, false),
        ('reclamation', 'CLOSED', 13, true),
        ('invoice', 'DRAFT', 1, false),
        ('invoice', 'ISSUED', 2, false),
        ('invoice', 'PAID', 3, true),
        ('invoice', 'CANCELLED', 4, true),
        ('partner_invoice', 'RECEIVED', 1, false),
        ('partner_invoice', 'DISPUTED', 2, false),
        ('partner_invoice', 'VALIDATED', 3, false),
        ('partner_invoice', 'PAID', 4, true)
) as s (record, status, position, is_final);

comment on view reporting.statuses is
    'Statuses of claims, invoices and bills in their usual order. Join this view on status and record.';
comment on column reporting.statuses.record is
    'Kind of the record that has the status: reclamation, invoice or partner_invoice.';
comment on column reporting.statuses.is_final is 'True if no other status can follow this status.';
grant select on reporting.statuses to taxclaims_reporting;
comment on column reporting.statuses.status is 'Value of the record''s column status.';
comment on column reporting.statuses.position is 'Position of the status in the usual order, from 1.';
