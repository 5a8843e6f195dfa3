-- What an invoice must say (its kind, what was done and when, the buyer as it was), credit notes, when a bill was paid.
-- Every new column is null or has one default for all rows, so that no table is rewritten and the release before goes on.
alter table public.factures
    add column kind character varying(20) not null default 'INVOICE',
    add column credits_id uuid,
    add column description text,
    add column service_date date,
    add column vat_exemption_reason text,
    add column buyer_name character varying(255),
    add column buyer_address text,
    add column buyer_siren character varying(9),
    add constraint factures_kind_known check (kind::text = any (array['INVOICE', 'CREDIT_NOTE'])) not valid,
    add constraint factures_credits_when_credit_note check ((kind::text = 'CREDIT_NOTE') = (credits_id is not null)) not valid,
    add constraint factures_credits_of_client foreign key (credits_id, client_id)
        references public.factures (id, client_id) not valid,
    -- A paid invoice that a credit note cancels keeps the time of its payment.
    add constraint factures_paid_at_when_paid check (
        case status::text
            when 'PAID' then paid_at is not null
            when 'CANCELLED' then true
            else paid_at is null
        end
    ) not valid;

alter table public.partner_invoices
    add column paid_at timestamp with time zone,
    add constraint partner_invoices_paid_at_when_paid check (status::text = 'PAID' or paid_at is null) not valid;

-- Null for the years before this release: the trigger reads the date of their last number from the invoices.
alter table public.invoice_counters add column last_issued_on date;

-- Nine digits whose Luhn sum is a multiple of ten, and not nine zeros.
create function app.is_siren(siren text)
    returns boolean
    language sql
    immutable
    parallel safe
    set search_path = ''
return siren ~ '^[0-9]{9}$' and siren <> '000000000' and (
    select
        pg_catalog.sum(
            case
                when d.place % 2 = 1 then d.digit
                when d.digit > 4 then d.digit * 2 - 9
                else d.digit * 2
            end
        ) % 10 = 0
    from (
        select i as place, pg_catalog.substr(siren, i, 1)::integer as digit
        from pg_catalog.generate_series(1, 9) as n (i)
        where siren ~ '^[0-9]{9}$'
    ) as d
);

alter table public.clients
    add column siren character varying(9),
    add constraint clients_siren_valid check (app.is_siren(siren)) not valid;
