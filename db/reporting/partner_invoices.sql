create or replace view reporting.partner_invoices with (security_invoker) as
select
    b.id, b.partner_id, b.client_id, b.invoice_id, b.number, b.status, b.issue_date, b.due_date, b.amount_excl_tax,
    b.vat_rate, b.vat_amount, b.amount_incl_tax, b.created_at, b.updated_at,
    -- A bill is paid whole or not at all. Nothing is due on a disputed bill until the dispute ends. GET
    -- /api/partner-invoices/summary counts `due` in the same way.
    case b.status when 'PAID' then b.amount_incl_tax else 0 end as amount_paid,
    case when b.status = any (array['RECEIVED', 'VALIDATED']) then b.amount_incl_tax else 0 end as amount_outstanding,
    b.paid_at
from public.partner_invoices as b;

comment on column reporting.partner_invoices.status is
    'Join reporting.statuses on status and record = ''partner_invoice''.';
comment on column reporting.partner_invoices.amount_outstanding is
    'Euros that are neither paid nor disputed, tax included.';
grant select on reporting.partner_invoices to taxclaims_reporting;
