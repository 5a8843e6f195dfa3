-- The invoices to the granted clients, which the data model calls factures.

drop view if exists reporting.invoices;

create view reporting.invoices with (security_invoker) as
select
    f.id,
    f.client_id,
    f.reclamation_id,
    f.number,
    f.status,
    f.issue_date,
    f.due_date,
    f.amount_excl_tax,
    f.vat_rate,
    f.vat_amount,
    f.amount_incl_tax,
    f.paid_at,
    f.created_at,
    f.updated_at
from public.factures as f;

grant select on reporting.invoices to taxclaims_reporting;
