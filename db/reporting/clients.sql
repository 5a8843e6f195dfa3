-- The clients that were granted to the login.

drop view if exists reporting.clients;

create view reporting.clients with (security_invoker) as
select
    c.id,
    c.company_name,
    c.contact_email,
    c.address,
    c.created_at,
    c.updated_at
from public.clients as c;

comment on view reporting.clients is 'The clients.';

grant select on reporting.clients to taxclaims_reporting;
