-- The package of the communes has no name for most codes that ended, so such a code gets the name of its commune of today.
create or replace view reporting.communes with (security_invoker) as
select
    c.code,
    coalesce(c.name, t.name) as name,
    coalesce(c.current_code, c.code) as current_code,
    t.name as current_name
from public.communes as c
join public.communes as t on t.code = coalesce(c.current_code, c.code);

comment on view reporting.communes is
    'Communes by INSEE code: those of today and those that merged into another. Join commune_code of a claim or a parcel to code.';
comment on column reporting.communes.name is
    'Name of the commune; that of the commune into which it merged, if its own name is not known.';
comment on column reporting.communes.current_code is
    'Code of today''s commune: the commune itself, the commune into which it merged, or the city of the arrondissement. '
    'Group by current_code to count old and new codes of one commune together.';
comment on column reporting.communes.current_name is 'Name of the commune that has current_code.';
grant select on reporting.communes to taxclaims_reporting;
