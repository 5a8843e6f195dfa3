-- To see the changes of a claim: select * from audit.changes where resource_id = '…'. Only superusers get rows of
-- audit.changes, because auditors may not read business data.
create view audit.changes with (security_invoker) as
select
    l.created_at as changed_at,
    l.actor,
    app.email_of(l.user_id, l.actor) as email,
    l.user_id,
    l.action,
    l.resource_type,
    l.resource_id,
    l.client_context as client_id,
    c.key as field,
    c.value -> 0 as old,
    c.value -> 1 as new,
    l.request_id
from public.audit_logs as l
cross join lateral pg_catalog.jsonb_each(l.changed) as c
where l.changed is not null
order by l.created_at desc, l.id desc, c.key;

comment on view audit.changes is
    'One row for each column that an update changed, and for the role, list of clients and is_active of a new user. The '
    'newest change is first.';
comment on column audit.changes.changed_at is 'Time of the change, by the database''s clock.';
comment on column audit.changes.email is
    'Email of the user who made the change; null if the user is not in public.users.';
comment on column audit.changes.client_id is 'Client to which the changed record belongs; null if none.';
comment on column audit.changes.field is
    'Name of the changed column. For users.client_access, `old` lists the removed clients and `new` the added clients.';
comment on column audit.changes.old is 'Value before the change, as JSON; null for a new user.';
comment on column audit.changes.new is 'Value after the change, as JSON.';
