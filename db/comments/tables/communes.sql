comment on table public.communes is
    'INSEE codes of the communes of today, of merged and delegated communes, and of the arrondissements of Paris, Lyon '
    'and Marseille. The codes that ended with the departments Seine and Seine-et-Oise (1968) and Corse (1976) are left '
    'out. Only migrations write this table, from the package @etalab/decoupage-administratif.';
comment on column public.communes.code is 'INSEE code of the commune: five digits, with 2A or 2B for Corsica.';
comment on column public.communes.name is
    'Name of the commune; null if the package has only the code of a merged commune.';
comment on column public.communes.current_code is
    'Code of today''s commune to which this one belongs: the city of an arrondissement, or the commune into which '
    'it merged; null if this is a commune of today.';
comment on column public.communes.postal_codes is 'Postal codes of the commune; null if the package has none.';
