create or replace view reporting.tasks with (security_invoker) as
select
    n.id, n.client_id, n.reclamation_id, n.author_id, n.internal, n.due_on,
    case
        when n.done_at is not null
            or (n.assignee_id, n.client_id) not in (select l.user_id, l.client_id from app.lost_clients as l)
            then n.assignee_id
    end as assignee_id,
    n.done_at, n.created_at, n.updated_at,
    case when n.done_at is null then n.due_on - app.paris_today() end as days_left
from public.notes as n
where n.due_on is not null;

comment on view reporting.tasks is
    'Tasks on claims, which are notes with a last day. The view leaves out the text of a task, which may be internal '
    'to the firm.';
comment on column reporting.tasks.due_on is 'Last day of the task. Joins reporting.calendar.day.';
comment on column reporting.tasks.days_left is
    'Days from today in Europe/Paris until due_on, negative after that day; null for a task that is done.';
grant select on reporting.tasks to taxclaims_reporting;
