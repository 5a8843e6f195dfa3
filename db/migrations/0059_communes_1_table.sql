-- The INSEE codes that communes have, or had before they merged: db/policies/communes.sql says who reads them.
create table public.communes (
    code character varying(5) primary key,
    name character varying(255),
    current_code character varying(5),
    postal_codes text[],
    constraint communes_code_insee check (code ~ '^([0-9]{5}|2[AB][0-9]{3})$')
);

create index communes_current_code_idx on public.communes (current_code) where current_code is not null;

alter table public.communes enable row level security;
alter table public.communes force row level security;
