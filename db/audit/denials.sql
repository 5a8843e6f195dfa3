-- To see the refusals of the last 12 hours: select * from audit.denials where refused_at > now() - interval '12 hours';
create view audit.denials with (security_invoker) as
select
    l.created_at as refused_at,
    l.actor,
    app.email_of(l.user_id, l.actor) as email,
    l.user_id,
    l.action,
    l.resource_type,
    l.resource_id,
    l.client_context as client_id,
    l.error_message as reason,
    l.ip_address,
    l.user_agent,
    l.request_id
from public.audit_logs as l
where not l.success
order by l.created_at desc, l.id desc;

comment on view audit.denials is 'Refused requests, the newest first.';
comment on column audit.denials.refused_at is 'Time of the refusal.';
comment on column audit.denials.client_id is 'Client whose record the refused request named; null if none.';
comment on column audit.denials.reason is 'Reason of the refusal; the API did not show the reason to the caller.';

comment on column audit.denials.email is 'Email of the caller; null if the caller is not in public.users.';
