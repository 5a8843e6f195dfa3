-- What partners billed for the granted clients.

drop view if exists reporting.partner_invoices;

create view reporting.partner_invoices with (security_invoker) as
select
    b.id,
    b.partner_id,
    b.client_id,
    b.invoice_id,
    b.number,
    b.status,
    b.issue_date,
    b.due_date,
    b.amount_excl_tax,
    b.vat_rate,
    b.vat_amount,
    b.amount_incl_tax,
    b.created_at,
    b.updated_at
from public.partner_invoices as b;

grant select on reporting.partner_invoices to taxclaims_reporting;
