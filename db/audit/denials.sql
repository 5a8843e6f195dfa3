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

comment on view audit.denials is 'Who was refused what, newest first.';
comment on column audit.denials.refused_at is 'When it was refused.';
comment on column audit.denials.actor is 'The subject of the token, or anonymous.';
comment on column audit.denials.user_id is 'The stored user; null where none is stored.';
comment on column audit.denials.action is 'The method and the path of the request.';
comment on column audit.denials.resource_type is 'The table that it was about.';
comment on column audit.denials.resource_id is 'The row that was named; null where none was.';
comment on column audit.denials.client_id is 'The client that it was about; null where there is none.';
comment on column audit.denials.reason is 'Why it was refused; the caller was not told.';
comment on column audit.denials.ip_address is 'Whence the request came.';
comment on column audit.denials.user_agent is 'What the caller''s program said of itself.';
comment on column audit.denials.request_id is 'The X-Request-Id of the answer.';

grant select on audit.denials to taxclaims_auditor;
comment on column audit.denials.email is 'The email of the user; null where none is stored.';
