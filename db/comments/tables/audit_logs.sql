comment on table public.audit_logs is
    'Writes and refused requests. Records are only added. Rows deleted by a cascade have no record of their own.';
comment on column public.audit_logs.id is
    'A random UUID. The API chooses that of a refusal, so that one sent twice is stored once.';
comment on column public.audit_logs.user_id is 'The user who asked; null if the user is not stored or unknown.';
comment on column public.audit_logs.actor is
    'Subject of the token, anonymous without one, or the database login outside a request.';
comment on column public.audit_logs.action is
    'Method and path of the request. Outside a request INSERT, UPDATE, DELETE, or the function of reporting with the '
    'login.';
comment on column public.audit_logs.resource_type is 'Table of the record.';
comment on column public.audit_logs.resource_id is 'The record; null if the request named none.';
comment on column public.audit_logs.client_context is
    'The client concerned; null if none. No foreign key: the audit record stays when the client is deleted.';
comment on column public.audit_logs.success is
    'True for a committed write, false for a refusal. Allowed reads are not recorded.';
comment on column public.audit_logs.error_message is
    'Reason of the refusal, for administrators and auditors; null for a success.';
comment on column public.audit_logs.ip_address is 'Address of the caller; null outside a request.';
comment on column public.audit_logs.user_agent is 'User-Agent of the caller, at most 2,000 characters; null if none.';
comment on column public.audit_logs.created_at is 'Time of the write or the refusal, by the database''s clock.';
comment on column public.audit_logs.request_id is
    'X-Request-Id of the answer, the same for all records of a request; null outside a request.';
comment on column public.audit_logs.oldest_writer is
    'Oldest transaction then in progress: changes from it on may appear later. Null for refusals and for older '
    'records.';
comment on column public.audit_logs.changed is
    'Columns that an update changed: {"column": [old, new]}, without secrets; of users.client_access what was removed '
    'and what was added. Null for other records and for older ones.';
comment on column public.audit_logs.writer is
    'Transaction of the write, for app.changes_after. Null for refusals and for older records.';
comment on column public.audit_logs.kind is 'created, changed or deleted. Null for refusals and for older records.';
comment on column public.audit_logs.internal is
    'True if the write is of a note that was internal before and after it: app.changes_after tells it to no CLIENT. Null '
    'for other tables.';
