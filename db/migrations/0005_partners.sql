-- Fourteen digits whose Luhn sum is a multiple of ten; the establishments of La Poste (356000000)
-- other than its seat are numbered so that the plain sum is a multiple of five.
create function app.is_siret(siret text)
    returns boolean
    language sql
    immutable
    parallel safe
    set search_path = ''
return siret ~ '^[0-9]{14}$' and (
    select
        pg_catalog.sum(
            case
                when d.place % 2 = 0 then d.digit
                when d.digit > 4 then d.digit * 2 - 9
                else d.digit * 2
            end
        ) % 10 = 0
        or (siret like '356000000%' and pg_catalog.sum(d.digit) % 5 = 0)
    from (
        select i as place, pg_catalog.substr(siret, i, 1)::integer as digit
        from pg_catalog.generate_series(1, 14) as i
        where siret ~ '^[0-9]{14}$'
    ) as d
);

create table public.partners (
    id uuid primary key default pg_catalog.gen_random_uuid(),
    name character varying(255) not null,
    -- Not unique: a refused duplicate would tell one tenant of another's partner.
    siret character varying(14),
    contact_email character varying(255),
    phone character varying(50),
    address text,
    commission_rate numeric(5, 2),
    created_at timestamp with time zone not null default pg_catalog.now(),
    updated_at timestamp with time zone not null default pg_catalog.now(),
    constraint partners_name_not_blank check (pg_catalog.btrim(name) <> ''),
    constraint partners_siret_valid check (app.is_siret(siret)),
    constraint partners_commission_rate_percent check (commission_rate between 0 and 100)
);

create index partners_created_at_idx on public.partners (created_at desc, id desc);

alter table public.partners enable row level security;
alter table public.partners force row level security;

create table public.client_partners (
    client_id uuid not null references public.clients (id) on delete cascade,
    -- Not a cascade: a partner that another client still has is not deleted from under it. Deferred, because whoever
    -- deletes a partner sees it through the links, and so removes the partner first and its own links after.
    partner_id uuid not null references public.partners (id) on delete no action deferrable initially deferred,
    created_at timestamp with time zone not null default pg_catalog.now(),
    primary key (client_id, partner_id)
);

create index client_partners_partner_id_idx on public.client_partners (partner_id, client_id);

alter table public.client_partners enable row level security;
alter table public.client_partners force row level security;
