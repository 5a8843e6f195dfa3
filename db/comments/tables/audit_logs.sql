comment on table public.audit_logs is
    'Audit log of successful writes and refused requests. Records never change, except that the erasure of a user '
    'removes the user''s name and email. The log has no records of rows that a foreign key deletes by cascade.';
comment on column public.audit_logs.id is
    'A random UUID. The API chooses the id of a refusal, so that a refusal sent twice to the database is stored once.';
comment on column public.audit_logs.user_id is
    'The user who made the request; null if the user is unknown or not in public.users.';
comment on column public.audit_logs.actor is
    'Subject of the token; `anonymous` for a request without a token; the database login outside a request.';
comment on column public.audit_logs.action is
    'Method and path of the request. Without a request: INSERT, UPDATE, DELETE, or the called function of schema '
    'reporting and the login named in the call.';
comment on column public.audit_logs.resource_type is 'Table that the write or the refused request was about.';
comment on column public.audit_logs.resource_id is
    'Id of the record that was written or that the request named; null if the request named no record.';
comment on column public.audit_logs.client_context is
    'The client of the record that was written or requested; null if none. client_context has no foreign key, so that '
    'audit records outlive the client.';
comment on column public.audit_logs.success is
    'True for a committed write, false for a refused request. Allowed reads are not logged.';
comment on column public.audit_logs.error_message is
    'Reason of the refusal, for administrators and auditors; null for a successful write.';
comment on column public.audit_logs.ip_address is 'IP address of the caller; null outside a request.';
comment on column public.audit_logs.user_agent is 'User-Agent of the caller, at most 2,000 characters; null if none.';
comment on column public.audit_logs.created_at is 'Time of the write or the refusal, by the database''s clock.';
comment on column public.audit_logs.request_id is
    'X-Request-Id of the response, shared by all audit records of a request; null outside a request.';
comment on column public.audit_logs.oldest_writer is
    'Id of the oldest transaction that was still running at the time of the write. Transactions with ids from '
    'oldest_writer on may have committed after the write. oldest_writer is null for refusals and in old records.';
comment on column public.audit_logs.changed is
    'Columns that an update changed: {"column": [old, new]}, without secrets. For users.client_access, `old` lists the '
    'removed clients and `new` the added clients. A new user has the role, the list of clients and is_active. `changed` is '
    'null for records of another INSERT, a DELETE or a refusal, and for records that older releases wrote.';
comment on column public.audit_logs.writer is
    'Id of the transaction that made the write; null for refusals, and for records that older releases wrote.';
comment on column public.audit_logs.kind is
    'Kind of the write: created, changed or deleted; null for refusals, and for records that older releases wrote.';
comment on column public.audit_logs.internal is
    'True if the written row is a note that was internal before and after the write. app.changes_after hides writes of '
    'internal notes from users of the role CLIENT. `internal` is null for records of tables other than notes.';
