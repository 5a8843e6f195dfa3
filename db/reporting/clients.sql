create or replace view reporting.clients with (security_invoker) as
select
    c.id, c.company_name, c.contact_email, c.address, c.created_at, c.updated_at, c.siren
from public.clients as c;

grant select on reporting.clients to taxclaims_reporting;
