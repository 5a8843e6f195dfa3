create or replace view reporting.invoices with (security_invoker) as
select
    f.id, f.client_id, f.reclamation_id, f.number, f.status, f.issue_date, f.due_date, f.amount_excl_tax, f.vat_rate,
    f.vat_amount, f.amount_incl_tax, f.paid_at, f.created_at, f.updated_at,
    -- An invoice is paid whole or not at all. Nothing is due on a cancelled invoice.
    case f.status when 'PAID' then f.amount_incl_tax else 0 end as amount_paid,
    case f.status when 'ISSUED' then f.amount_incl_tax else 0 end as amount_outstanding
from public.factures as f;

comment on column reporting.invoices.status is 'Join reporting.statuses on status and record = ''invoice''.';
comment on column reporting.invoices.amount_outstanding is 'Euros that are invoiced and not paid, tax included.';
grant select on reporting.invoices to taxclaims_reporting;
