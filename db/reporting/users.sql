create or replace view reporting.users with (security_invoker) as
select
    u.id, u.email, u.name, u.role, u.is_active, u.created_at, u.updated_at
from public.users as u;

grant select on reporting.users to taxclaims_reporting;
