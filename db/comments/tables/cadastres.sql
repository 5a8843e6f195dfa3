comment on table public.cadastres is
    'Entries of the land register (parcelles) on which a site stands. Of the client of their site.';
comment on column public.cadastres.site_id is 'The site on the parcel, and by it the client.';
comment on column public.cadastres.commune_code is 'The INSEE code of the commune: five digits, with 2A or 2B for Corsica.';
comment on column public.cadastres.prefix is 'Three digits, for a commune that took in another; 000 where it took in none.';
comment on column public.cadastres.section is 'The section of the land register: two digits or capital letters.';
comment on column public.cadastres.number is 'The number within the section, four digits.';
comment on column public.cadastres.reference is
    'The 14 characters by which the land register knows the parcel: commune, prefix, section and number; worked out.';
comment on column public.cadastres.area_m2 is 'The area (contenance) in square metres; null where it is not known.';
comment on column public.cadastres.address is 'Where the parcel lies, as it was given; null where it is not known.';
comment on column public.cadastres.rental_value is
    'The valeur locative cadastrale in euros a year, the base of both taxes; null where it is not known.';
comment on column public.cadastres.reference_year is 'The year for which rental_value holds; null where it is not known.';
