-- An ADMIN reads the audit records of the ADMIN's clients, or all. Functions add records; nobody changes or deletes
-- one. Auditors read refusals, and no success, which tells of the business.

grant select (
    id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
    created_at, request_id, actor
) on public.audit_logs to taxclaims_scoped_admin, taxclaims_auditor;
create policy audit_logs_select_tenant on public.audit_logs for select to taxclaims_scoped_admin
    using (client_context = any ((select app.client_access())::uuid[]));
create policy audit_logs_select_auditor on public.audit_logs for select to taxclaims_auditor
    using (not success);

-- For app.record_refusals, app.record_change, app.oldest_writer_at and app.impossible_rows.
grant
    select (id, resource_type, resource_id, success, created_at, oldest_writer),
    insert (
        id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
        created_at, request_id, actor, oldest_writer
    )
on public.audit_logs to taxclaims_definer;
create policy audit_logs_select_definer on public.audit_logs for select to taxclaims_definer using (true);
-- Successes come from triggers; only grants of all clients, which are no table rows, do not.
create policy audit_logs_insert_definer on public.audit_logs for insert to taxclaims_definer
    with check (
        not success
        or pg_catalog.pg_trigger_depth() > 0
        or resource_type = 'reporting.grants'
    );

-- npm run audit:archive reads as this role, which no login can become.
grant select (
    id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
    created_at, request_id, actor, oldest_writer
) on public.audit_logs to taxclaims_housekeeper;
create policy audit_logs_select_housekeeper on public.audit_logs for select to taxclaims_housekeeper using (true);
