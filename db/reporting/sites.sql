create or replace view reporting.sites with (security_invoker) as
select
    s.id, s.client_id, s.site_name, s.address, s.created_at, s.updated_at
from public.sites as s;

grant select on reporting.sites to taxclaims_reporting;
