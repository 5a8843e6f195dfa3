-- reporting.assignments reads the client lists in public.users, and leaves out deleted clients.
create or replace view reporting.assignments with (security_invoker) as
select
    a.client_id, a.user_id, u.name, u.email, u.role, u.is_active
from app.list_user_client_access() as a
join public.users as u on u.id = a.user_id
join public.clients as c on c.id = a.client_id;

comment on view reporting.assignments is
    'Users and the clients they have access to, except administrators with all clients.';
comment on column reporting.assignments.is_active is 'False if the account is deactivated: the user then has no access.';
grant select on reporting.assignments to taxclaims_reporting;
