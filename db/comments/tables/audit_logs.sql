comment on table public.audit_logs is
    'Audit log: successful writes and refused requests. Records are only added. Rows deleted by a cascade have no '
    'record of their own.';
comment on column public.audit_logs.id is
    'A random UUID. For a refusal the API chooses the id, so that a refusal sent twice is stored once.';
comment on column public.audit_logs.user_id is
    'The user who made the request; null if the user is not stored or unknown.';
comment on column public.audit_logs.actor is
    'Subject of the token, `anonymous` without a token, or the database login outside a request.';
comment on column public.audit_logs.action is
    'Method and path of the request. Outside a request: INSERT, UPDATE, DELETE, or the called function of schema '
    'reporting with its login.';
comment on column public.audit_logs.resource_type is 'Table of the record.';
comment on column public.audit_logs.resource_id is 'Id of the record; null if the request named no record.';
comment on column public.audit_logs.client_context is
    'The client of the record; null if none. There is no foreign key, so the audit record stays when the client is '
    'deleted.';
comment on column public.audit_logs.success is
    'True for a committed write, false for a refused request. Allowed reads are not logged.';
comment on column public.audit_logs.error_message is
    'Reason of the refusal, for administrators and auditors; null for a successful write.';
comment on column public.audit_logs.ip_address is 'IP address of the caller; null outside a request.';
comment on column public.audit_logs.user_agent is 'User-Agent of the caller, at most 2,000 characters; null if none.';
comment on column public.audit_logs.created_at is 'Time of the write or the refusal, by the database''s clock.';
comment on column public.audit_logs.request_id is
    'X-Request-Id of the response, the same for all records of a request; null outside a request.';
comment on column public.audit_logs.oldest_writer is
    'Oldest transaction that was running at the time of the write. Later changes may appear from this transaction on. '
    'Null for refusals and for records of older releases.';
comment on column public.audit_logs.changed is
    'Columns that an update changed: {"column": [old, new]}, without secrets. For users.client_access old lists the '
    'removed clients and new the added ones. Null for other records and for records of older releases.';
comment on column public.audit_logs.writer is
    'Id of the writing transaction, for app.changes_after. Null for refusals and for records of older releases.';
comment on column public.audit_logs.kind is
    'created, changed or deleted. Null for refusals and for records of older releases.';
comment on column public.audit_logs.internal is
    'True if the write concerns a note that was internal before and after it: app.changes_after shows the change of '
    'such a note to no CLIENT. Null for other tables.';
