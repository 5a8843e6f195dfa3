-- An ADMIN reads the audit records of the ADMIN's clients, or all. Functions add records; nobody deletes one, and only an
-- erasure changes one. Auditors read refusals, and no success, which tells of the business. No request role reads `changed`:
-- app.changes_of shows its columns to those who may read them of the record.

grant select (
    id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
    created_at, request_id, actor
) on public.audit_logs to taxclaims_scoped_admin, taxclaims_auditor;
-- For the view audit.changes, which shows an auditor no row.
grant select (changed) on public.audit_logs to taxclaims_auditor;
create policy audit_logs_select_tenant on public.audit_logs for select to taxclaims_scoped_admin
    using (client_context = any ((select app.client_access())::uuid[]));
create policy audit_logs_select_auditor on public.audit_logs for select to taxclaims_auditor
    using (not success);

-- For app.record_refusals, app.record_change, app.changes_of, app.next_changes, app.oldest_writer_at and
-- app.impossible_rows; app.kept_on reads what a person did.
grant
    select (
        id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
        created_at, request_id, actor, oldest_writer, changed, writer, kind, internal
    ),
    insert (
        id, user_id, action, resource_type, resource_id, client_context, success, error_message, ip_address, user_agent,
        created_at, request_id, actor, oldest_writer, changed, writer, kind, internal
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
    created_at, request_id, actor, oldest_writer, changed, writer, kind, internal
) on public.audit_logs to taxclaims_housekeeper;
create policy audit_logs_select_housekeeper on public.audit_logs for select to taxclaims_housekeeper using (true);

-- app.redact_user takes name and email of an erased user out of the changes of that user, and nothing else.
grant update (changed) on public.audit_logs to taxclaims_housekeeper;
create policy audit_logs_update_housekeeper on public.audit_logs for update to taxclaims_housekeeper
    using (resource_type = 'users' and changed ?| '{email,name}' and pg_catalog.pg_trigger_depth() > 0)
    with check (
        coalesce(changed -> 'email', '[null, null]') = '[null, null]'
        and coalesce(changed -> 'name', '[null, null]') = '[null, null]'
    );

-- For reporting.changes_by_month: whose, which table, what was done, when. No refusal, no user, and nobody's name. A
-- refusal has no writer.
create policy audit_logs_select_reporting on public.audit_logs for select to taxclaims_reporting
    using (
        writer is not null and resource_type <> 'users'
        and client_context in (select g.client_id from reporting.grants as g where g.login = session_user)
    );
create policy audit_logs_select_reporting_few on public.audit_logs as restrictive for select to taxclaims_reporting_few
    using (
        client_context = any (
            (select array(select g.client_id from reporting.grants as g where g.login = session_user))::uuid[]
        )
    );
create policy audit_logs_select_reporting_all on public.audit_logs for select to taxclaims_reporting_all
    using (writer is not null and resource_type <> 'users' and client_context is not null);
