create table public.factures (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    client_id uuid not null references public.clients (id) on delete cascade,
    reclamation_id uuid,
    -- Given when the invoice is issued, without a gap within a year.
    number character varying(50),
    status character varying(50) not null default 'DRAFT',
    issue_date date,
    due_date date,
    amount_excl_tax numeric(12, 2) not null,
    vat_rate numeric(5, 2) not null default 20.00,
    vat_amount numeric(12, 2) not null generated always as (pg_catalog.round(amount_excl_tax * vat_rate / 100, 2)) stored,
    amount_incl_tax numeric(12, 2) not null generated always as (
        amount_excl_tax + pg_catalog.round(amount_excl_tax * vat_rate / 100, 2)
    ) stored,
    paid_at timestamp with time zone,
    created_at timestamp with time zone not null default pg_catalog.now(),
    updated_at timestamp with time zone not null default pg_catalog.now(),
    constraint factures_id_client_id_key unique (id, client_id),
    constraint factures_number_key unique (number),
    constraint factures_reclamation_of_client foreign key (reclamation_id, client_id)
        references public.reclamations (id, client_id) on delete set null (reclamation_id),
    constraint factures_status_known check (status in ('DRAFT', 'ISSUED', 'PAID', 'CANCELLED')),
    constraint factures_numbered_when_issued check ((status = 'DRAFT') = (number is null)),
    constraint factures_dated_when_issued check (number is null or issue_date is not null),
    constraint factures_paid_when_paid check ((status = 'PAID') = (paid_at is not null)),
    constraint factures_due_after_issue check (due_date >= issue_date),
    constraint factures_amount_range check (amount_excl_tax between 0 and 4999999999.99),
    constraint factures_vat_rate_percent check (vat_rate between 0 and 100)
);

create index factures_client_id_idx on public.factures (client_id, created_at desc, id desc);
create index factures_created_at_idx on public.factures (created_at desc, id desc);
create index factures_reclamation_id_idx on public.factures (reclamation_id);

alter table public.factures enable row level security;
alter table public.factures force row level security;

-- The last number given in a year. A row that is locked until commit, not a sequence: a sequence leaves gaps.
create table public.invoice_counters (
    year integer primary key,
    last_number integer not null,
    constraint invoice_counters_last_number_positive check (last_number > 0)
);

alter table public.invoice_counters enable row level security;
alter table public.invoice_counters force row level security;

create table public.partner_invoices (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    partner_id uuid not null references public.partners (id) on delete restrict,
    client_id uuid not null references public.clients (id) on delete cascade,
    invoice_id uuid,
    number character varying(50) not null,
    status character varying(50) not null default 'RECEIVED',
    issue_date date,
    due_date date,
    amount_excl_tax numeric(12, 2) not null,
    vat_rate numeric(5, 2) not null default 20.00,
    -- As printed on the partner's bill, where it rounds in its own way; worked out where it is not given.
    vat_amount numeric(12, 2) not null,
    amount_incl_tax numeric(12, 2) not null,
    created_at timestamp with time zone not null default pg_catalog.now(),
    updated_at timestamp with time zone not null default pg_catalog.now(),
    constraint partner_invoices_partner_id_number_key unique (partner_id, number),
    constraint partner_invoices_invoice_of_client foreign key (invoice_id, client_id)
        references public.factures (id, client_id) on delete set null (invoice_id),
    constraint partner_invoices_status_known check (status in ('RECEIVED', 'VALIDATED', 'PAID', 'DISPUTED')),
    constraint partner_invoices_number_not_blank check (pg_catalog.btrim(number) <> ''),
    constraint partner_invoices_due_after_issue check (due_date >= issue_date),
    constraint partner_invoices_amount_range check (amount_excl_tax between 0 and 4999999999.99),
    constraint partner_invoices_vat_rate_percent check (vat_rate between 0 and 100),
    constraint partner_invoices_vat_amount_range check (vat_amount between 0 and 4999999999.99),
    constraint partner_invoices_sum check (amount_incl_tax = amount_excl_tax + vat_amount)
);

create index partner_invoices_client_id_idx on public.partner_invoices (client_id, created_at desc, id desc);
create index partner_invoices_created_at_idx on public.partner_invoices (created_at desc, id desc);
create index partner_invoices_invoice_id_idx on public.partner_invoices (invoice_id);

alter table public.partner_invoices enable row level security;
alter table public.partner_invoices force row level security;
