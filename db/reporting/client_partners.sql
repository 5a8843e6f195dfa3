create or replace view reporting.client_partners with (security_invoker) as
select
    l.client_id, l.partner_id, l.created_at
from public.client_partners as l;

grant select on reporting.client_partners to taxclaims_reporting;
