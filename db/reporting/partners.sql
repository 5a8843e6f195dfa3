create or replace view reporting.partners with (security_invoker) as
select
    p.id, p.name, p.siret, p.contact_email, p.phone, p.address, p.commission_rate, p.created_at, p.updated_at
from public.partners as p;

grant select on reporting.partners to taxclaims_reporting;
