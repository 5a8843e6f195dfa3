create or replace view reporting.invoices with (security_invoker) as
select
    f.id, f.client_id, f.reclamation_id, f.number, f.status, f.issue_date, f.due_date, f.amount_excl_tax, f.vat_rate,
    f.vat_amount, f.amount_incl_tax, f.paid_at, f.created_at, f.updated_at,
    -- An invoice is paid whole or not at all, less its credit notes. A paid credit note was paid back to the client.
    -- Nothing is due on a cancelled invoice.
    case when f.paid_at is null then 0 when f.credits_id is null then f.amount_incl_tax else -f.amount_incl_tax end as amount_paid,
    case
        when f.status = 'ISSUED' and f.credits_id is null
            then f.amount_incl_tax - coalesce(
                (
                    select pg_catalog.sum(c.amount_incl_tax)
                    from public.factures as c
                    where c.credits_id = f.id and c.status <> 'DRAFT'
                ),
                0
            )
        else 0
    end as amount_outstanding,
    f.kind, f.credits_id, f.service_date, f.description, f.vat_exemption_reason, f.buyer_name, f.buyer_address, f.buyer_siren,
    case f.kind when 'CREDIT_NOTE' then -f.amount_excl_tax else f.amount_excl_tax end as turnover_excl_tax,
    case f.status
        when 'CANCELLED' then (
            select pg_catalog.max(c.issue_date)
            from public.factures as c
            where c.credits_id = f.id and c.status <> 'DRAFT'
        )
    end as cancelled_on
from public.factures as f;

comment on column reporting.invoices.status is 'Join reporting.statuses on status and record = ''invoice''.';
comment on column reporting.invoices.amount_outstanding is 'Euros that are invoiced and neither paid nor credited, tax included; 0 for a credit note.';
comment on column reporting.invoices.amount_paid is
    'Euros that the client paid, tax included; below 0 for a credit note that was paid back.';
comment on column reporting.invoices.turnover_excl_tax is
    'amount_excl_tax, below 0 for a credit note. Leave out drafts and sum this column for the turnover.';
comment on column reporting.invoices.cancelled_on is
    'Date of the last credit note of a cancelled invoice; null if the invoice is not cancelled, or if an older release '
    'cancelled it without a credit note. Joins reporting.calendar.day.';
grant select on reporting.invoices to taxclaims_reporting;
