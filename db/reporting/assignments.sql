-- By the stored lists; deleted clients are left out.
create or replace view reporting.assignments with (security_invoker) as
select
    a.client_id, a.user_id, u.name, u.email, u.role, u.is_active
from app.assignments() as a
join public.users as u on u.id = a.user_id
join public.clients as c on c.id = a.client_id;

comment on view reporting.assignments is 'Users and their clients, without administrators who have all.';
comment on column reporting.assignments.is_active is 'False for an ended account: the user sees nothing.';
grant select on reporting.assignments to taxclaims_reporting;
