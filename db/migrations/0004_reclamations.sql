create table public.reclamations (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    client_id uuid not null references public.clients (id) on delete cascade,
    site_id uuid not null,
    claim_type character varying(10) not null,
    amount numeric(10, 2) not null,
    status character varying(50) not null default 'DRAFT',
    tax_year integer,
    commune_code character varying(5),
    notice_reference character varying(100),
    collection_date date,
    -- 31 December of the year after the mise en recouvrement (LPF R*196-2).
    claim_deadline date generated always as (
        pg_catalog.make_date(extract(year from collection_date)::integer + 1, 12, 31)
    ) stored,
    submitted_at timestamp with time zone,
    -- The administration answers within six months (LPF R*198-10), counted in UTC.
    response_due_at timestamp with time zone generated always as (
        ((submitted_at at time zone 'UTC') + interval '6 months') at time zone 'UTC'
    ) stored,
    decision_date date,
    court_deadline date,
    granted_amount numeric(10, 2),
    refund_amount numeric(10, 2),
    grounds text,
    created_at timestamp with time zone not null default pg_catalog.now(),
    updated_at timestamp with time zone not null default pg_catalog.now(),
    constraint reclamations_id_client_id_key unique (id, client_id),
    -- A foreign key looks past row-level security: the pair keeps a claim on a site of its own client.
    constraint reclamations_site_of_client foreign key (site_id, client_id)
        references public.sites (id, client_id) on delete cascade,
    constraint reclamations_claim_type_known check (claim_type in ('TF', 'CFE')),
    constraint reclamations_amount_range check (amount between 0 and 99999999.99),
    constraint reclamations_status_known check (
        status in (
            'DRAFT', 'READY_FOR_REVIEW', 'APPROVED', 'SUBMITTED', 'ACKNOWLEDGED', 'REGULARISATION_REQUESTED',
            'ACCEPTED', 'PARTIALLY_ACCEPTED', 'REJECTED', 'LITIGATION', 'REFUNDED', 'WITHDRAWN', 'CLOSED'
        )
    ),
    constraint reclamations_tax_year_range check (tax_year between 1900 and 2200),
    constraint reclamations_commune_code_insee check (commune_code ~ '^([0-9]{5}|2[AB][0-9]{3})$'),
    constraint reclamations_collection_date_range check (collection_date between '1900-01-01' and '2200-12-31'),
    constraint reclamations_granted_amount_range check (granted_amount between 0 and amount),
    constraint reclamations_refund_amount_range check (refund_amount between 0 and 99999999.99)
);

create index reclamations_client_id_idx on public.reclamations (client_id, created_at desc, id desc);
create index reclamations_created_at_idx on public.reclamations (created_at desc, id desc);
create index reclamations_site_id_idx on public.reclamations (site_id);

alter table public.reclamations enable row level security;
alter table public.reclamations force row level security;

-- The moves that a claim may make, as data: whoever is not listed here moves nothing.
create table public.reclamation_transitions (
    from_status character varying(50) not null,
    to_status character varying(50) not null,
    role text not null,
    primary key (from_status, to_status, role),
    constraint reclamation_transitions_role_known check (role in ('ADMIN', 'ACCOUNT_MANAGER', 'TAX_SPECIALIST', 'CLIENT'))
);

insert into public.reclamation_transitions (from_status, to_status, role)
select move.from_status, move.to_status, mover.role
from (
    values
        ('DRAFT', 'READY_FOR_REVIEW', true),
        ('READY_FOR_REVIEW', 'DRAFT', false),
        ('READY_FOR_REVIEW', 'APPROVED', false),
        ('APPROVED', 'SUBMITTED', true),
        ('SUBMITTED', 'ACKNOWLEDGED', true),
        ('SUBMITTED', 'REGULARISATION_REQUESTED', true),
        ('REGULARISATION_REQUESTED', 'SUBMITTED', true),
        ('REGULARISATION_REQUESTED', 'REJECTED', true),
        ('SUBMITTED', 'ACCEPTED', true),
        ('SUBMITTED', 'PARTIALLY_ACCEPTED', true),
        ('SUBMITTED', 'REJECTED', true),
        ('ACKNOWLEDGED', 'ACCEPTED', true),
        ('ACKNOWLEDGED', 'PARTIALLY_ACCEPTED', true),
        ('ACKNOWLEDGED', 'REJECTED', true),
        ('REJECTED', 'LITIGATION', false),
        ('PARTIALLY_ACCEPTED', 'LITIGATION', false),
        ('LITIGATION', 'ACCEPTED', false),
        ('LITIGATION', 'PARTIALLY_ACCEPTED', false),
        ('LITIGATION', 'REJECTED', false),
        ('ACCEPTED', 'REFUNDED', true),
        ('PARTIALLY_ACCEPTED', 'REFUNDED', true),
        ('DRAFT', 'WITHDRAWN', false),
        ('READY_FOR_REVIEW', 'WITHDRAWN', false),
        ('APPROVED', 'WITHDRAWN', false),
        ('SUBMITTED', 'WITHDRAWN', false),
        ('ACKNOWLEDGED', 'WITHDRAWN', false),
        ('REGULARISATION_REQUESTED', 'WITHDRAWN', false),
        ('ACCEPTED', 'WITHDRAWN', false),
        ('PARTIALLY_ACCEPTED', 'WITHDRAWN', false),
        ('REJECTED', 'WITHDRAWN', false),
        ('LITIGATION', 'WITHDRAWN', false),
        ('REFUNDED', 'CLOSED', false),
        ('REJECTED', 'CLOSED', false),
        ('WITHDRAWN', 'CLOSED', false)
) as move (from_status, to_status, specialist)
cross join (values ('ADMIN'), ('ACCOUNT_MANAGER'), ('TAX_SPECIALIST')) as mover (role)
where move.specialist or mover.role <> 'TAX_SPECIALIST';

alter table public.reclamation_transitions enable row level security;
alter table public.reclamation_transitions force row level security;

-- Every move that was made: who, when, from where to where.
create table public.reclamation_history (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    reclamation_id uuid not null,
    client_id uuid not null,
    from_status character varying(50) not null,
    to_status character varying(50) not null,
    changed_by uuid,
    actor text not null,
    changed_at timestamp with time zone not null default pg_catalog.now(),
    constraint reclamation_history_reclamation_of_client foreign key (reclamation_id, client_id)
        references public.reclamations (id, client_id) on delete cascade
);

create index reclamation_history_reclamation_id_idx
    on public.reclamation_history (reclamation_id, changed_at desc, id desc);
create index reclamation_history_client_id_idx on public.reclamation_history (client_id);

alter table public.reclamation_history enable row level security;
alter table public.reclamation_history force row level security;

create table public.documents (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    reclamation_id uuid not null references public.reclamations (id) on delete cascade,
    filename character varying(255) not null,
    file_path character varying(500) not null,
    file_size integer,
    mime_type character varying(100),
    uploaded_at timestamp with time zone not null default pg_catalog.now(),
    constraint documents_filename_not_blank check (pg_catalog.btrim(filename) <> ''),
    constraint documents_file_path_key unique (file_path),
    constraint documents_file_size_positive check (file_size >= 0)
);

create index documents_reclamation_id_idx on public.documents (reclamation_id, uploaded_at desc, id desc);
create index documents_uploaded_at_idx on public.documents (uploaded_at desc, id desc);

alter table public.documents enable row level security;
alter table public.documents force row level security;
