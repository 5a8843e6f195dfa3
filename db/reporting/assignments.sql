-- Who works for which granted client, by the stored users' lists. An ADMIN without a list has every client and stands
-- not here; nor does a client of a list that was deleted.
create or replace view reporting.assignments with (security_invoker) as
select
    a.client_id, a.user_id, u.name, u.email, u.role, u.is_active
from app.assignments() as a
join public.users as u on u.id = a.user_id
join public.clients as c on c.id = a.client_id;

comment on view reporting.assignments is
    'Which user has which client. Not administrators without a list, who have all of them.';
comment on column reporting.assignments.is_active is 'An inactive user keeps the list and sees nothing.';
grant select on reporting.assignments to taxclaims_reporting;
