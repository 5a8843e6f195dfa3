-- Audit records are read by administrators: all of them, or those of their clients. They are added by the audit
-- functions alone, and nobody changes or deletes one. Which transaction was under way (oldest_writer) is for the walk
-- in the order of change alone. An auditor reads the refusals, to see who tried what; what succeeded tells of the
-- business and is not shown.

grant select (
    id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
    created_at, request_id, actor
) on public.audit_logs to taxclaims_scoped_admin, taxclaims_auditor;
create policy audit_logs_select_tenant on public.audit_logs for select to taxclaims_scoped_admin
    using (client_context = any ((select app.client_access())::uuid[]));
create policy audit_logs_select_auditor on public.audit_logs for select to taxclaims_auditor
    using (not success);

-- app.record_refusals writes refusals, app.record_change writes from within a write, and dates a record behind the one
-- before of the same row; app.oldest_writer_at reads what was under way; app.impossible_rows looks for the deletion of a
-- client.
grant
    select (id, resource_type, resource_id, success, created_at, oldest_writer),
    insert (
        id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
        created_at, request_id, actor, oldest_writer
    )
on public.audit_logs to taxclaims_definer;
create policy audit_logs_select_definer on public.audit_logs for select to taxclaims_definer using (true);
-- A success is recorded by a trigger. But for who was given all clients, which is written in a catalog of Postgres's.
create policy audit_logs_insert_definer on public.audit_logs for insert to taxclaims_definer
    with check (
        not success
        or pg_catalog.pg_trigger_depth() > 0
        or resource_type = 'reporting.grants'
    );

-- What is archived is read as the role that makes and removes the months: it can do nothing else, and no login has it.
grant select (
    id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
    created_at, request_id, actor, oldest_writer
) on public.audit_logs to taxclaims_housekeeper;
create policy audit_logs_select_housekeeper on public.audit_logs for select to taxclaims_housekeeper using (true);
