create table public.clients (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    company_name character varying(255) not null,
    contact_email character varying(255) not null,
    address text,
    created_at timestamp with time zone not null default pg_catalog.now(),
    updated_at timestamp with time zone not null default pg_catalog.now(),
    constraint clients_company_name_not_blank check (pg_catalog.btrim(company_name) <> ''),
    constraint clients_contact_email_not_blank check (pg_catalog.btrim(contact_email) <> '')
);

create index clients_created_at_idx on public.clients (created_at desc, id desc);

alter table public.clients enable row level security;
alter table public.clients force row level security;

create table public.sites (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    client_id uuid not null references public.clients (id) on delete cascade,
    site_name character varying(255) not null,
    address text,
    created_at timestamp with time zone not null default pg_catalog.now(),
    updated_at timestamp with time zone not null default pg_catalog.now(),
    -- What a claim points at: a site together with its client.
    constraint sites_id_client_id_key unique (id, client_id),
    constraint sites_site_name_not_blank check (pg_catalog.btrim(site_name) <> '')
);

create index sites_client_id_idx on public.sites (client_id, created_at desc, id desc);
create index sites_created_at_idx on public.sites (created_at desc, id desc);

alter table public.sites enable row level security;
alter table public.sites force row level security;

create table public.cadastres (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    site_id uuid not null references public.sites (id) on delete cascade,
    commune_code character varying(5) not null,
    prefix character varying(3) not null default '000',
    section character varying(2) not null,
    number character varying(4) not null,
    -- The parcel's reference of 14 characters in the land register.
    reference character varying(14) not null generated always as (commune_code || prefix || section || number) stored,
    area_m2 integer,
    address text,
    rental_value numeric(12, 2),
    reference_year integer,
    created_at timestamp with time zone not null default pg_catalog.now(),
    updated_at timestamp with time zone not null default pg_catalog.now(),
    constraint cadastres_site_id_reference_key unique (site_id, reference),
    constraint cadastres_commune_code_insee check (commune_code ~ '^([0-9]{5}|2[AB][0-9]{3})$'),
    constraint cadastres_prefix_digits check (prefix ~ '^[0-9]{3}$'),
    constraint cadastres_section_characters check (section ~ '^[0-9A-Z]{2}$'),
    constraint cadastres_number_digits check (number ~ '^[0-9]{4}$'),
    constraint cadastres_area_positive check (area_m2 >= 0),
    constraint cadastres_rental_value_range check (rental_value between 0 and 9999999999.99),
    constraint cadastres_reference_year_range check (reference_year between 1900 and 2200)
);

create index cadastres_site_id_idx on public.cadastres (site_id, created_at desc, id desc);
create index cadastres_created_at_idx on public.cadastres (created_at desc, id desc);

alter table public.cadastres enable row level security;
alter table public.cadastres force row level security;
