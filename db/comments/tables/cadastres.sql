comment on table public.cadastres is
    'Parcels (entries of the land register) of a site. A parcel belongs to the client of its site.';
comment on column public.cadastres.site_id is 'The site to which the parcel belongs.';
comment on column public.cadastres.commune_code is 'INSEE code of the commune: five digits, with 2A or 2B for Corsica.';
comment on column public.cadastres.prefix is
    'Three digits for the former commune of the parcel in a merged commune; 000 if there is none. The service pads a '
    'shorter prefix with zeros.';
comment on column public.cadastres.section is
    'Section of the land register: two digits or capital letters. If a is sent, the service stores 0A, as printed on a notice.';
comment on column public.cadastres.number is
    'Number of the parcel in the section, four digits. The service pads a shorter number with zeros.';
comment on column public.cadastres.reference is
    'Reference of the parcel (référence cadastrale), 14 characters: commune, prefix, section and number. Computed.';
comment on column public.cadastres.area_m2 is 'Area (contenance) in square metres; null if unknown.';
comment on column public.cadastres.address is 'Address of the parcel; null if unknown.';
comment on column public.cadastres.rental_value is
    'Rental value (valeur locative cadastrale) in euros a year, the base of TF and CFE; null if unknown.';
comment on column public.cadastres.reference_year is 'Year for which rental_value is valid; null if unknown.';
