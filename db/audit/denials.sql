-- Who was refused what, newest first; no business row is named but by its id, and the user by email, where stored. For
-- last night:
--     select * from audit.denials where refused_at > now() - interval '12 hours';
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

grant select on audit.denials to taxclaims_auditor;
