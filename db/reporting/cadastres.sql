-- The view joins sites, so that Postgres can start a query with the few sites that the login may read.
create or replace view reporting.cadastres with (security_invoker) as
select
    k.id, s.client_id, k.site_id, k.commune_code, k.prefix, k.section, k.number, k.reference, k.area_m2, k.address,
    k.rental_value, k.reference_year, k.created_at, k.updated_at
from public.cadastres as k
join public.sites as s on s.id = k.site_id;

grant select on reporting.cadastres to taxclaims_reporting;
