comment on table public.audit_logs is
    'Who did or was refused what. Only ever added to, by triggers and by the API; rows taken along by a cascade are '
    'not recorded one by one.';
comment on column public.audit_logs.id is
    'A random UUID; for a refusal made by the API, so that one that is sent twice is kept once.';
comment on column public.audit_logs.user_id is 'The stored user who asked; null where none is stored or nobody was known.';
comment on column public.audit_logs.action is
    'The method and the path of the request; outside one the command (INSERT, UPDATE, DELETE), or '
    'reporting.grant_client and its counterparts with the login.';
comment on column public.audit_logs.resource_type is 'The table that it was about.';
comment on column public.audit_logs.resource_id is 'The row that it was about; null where none was named.';
comment on column public.audit_logs.client_context is
    'The client that it was about; null where there is none. Not a foreign key: the record outlives the client.';
comment on column public.audit_logs.success is
    'True for a write that was committed, false for a refusal. Reading that was allowed is not recorded.';
comment on column public.audit_logs.error_message is
    'Why it was refused, for administrators and auditors; null for a success.';
comment on column public.audit_logs.ip_address is 'Whence the request came; null outside a request.';
comment on column public.audit_logs.user_agent is
    'What the program of the caller said of itself, cut to 2,000 characters; null where it said nothing.';
comment on column public.audit_logs.created_at is
    'When it happened by the clock of the database, also for a refusal that was written down later.';
comment on column public.audit_logs.request_id is
    'The X-Request-Id of the answer, which ties the records of a request together; null outside a request.';
comment on column public.audit_logs.actor is
    'The subject of the token, anonymous without one, or the database login outside a request.';
comment on column public.audit_logs.oldest_writer is
    'The oldest transaction that was still writing then: changes under way at that moment may have come true later. '
    'Null for a refusal and in records older than this column.';
